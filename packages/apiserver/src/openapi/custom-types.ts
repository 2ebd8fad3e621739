import type { JsonObject } from '@tsukube/machinery';
import type { ApiResource } from '../discovery/api-group.ts';
import { type Dialect, gvkObject, refTo } from './schema.ts';
import type { TypeIndex } from './type-index.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** The types there are, and those of resources that bring their own schemas. */
export function withCustomTypes(types: TypeIndex, resources: readonly ApiResource[]): TypeIndex {
  const own = new Map<string, (dialect: Dialect) => JsonObject>();
  for (const resource of resources) {
    const { type, listType } = resource.served.schema;
    own.set(type, (dialect) => objectSchema(resource, dialect));
    own.set(listType, (dialect) => listSchema(resource, dialect));
  }
  const schema = (name: string, dialect: Dialect) => own.get(name)?.(dialect) ?? types.schema(name, dialect);
  return {
    reachableFrom(names) {
      const all = [...names];
      const others = all.filter((name) => !own.has(name));
      if (others.length < all.length) others.push(`${meta}.ObjectMeta`, `${meta}.ListMeta`);
      return [...new Set([...all.filter((name) => own.has(name)), ...types.reachableFrom(others)])].sort();
    },
    schema,
    schemaText: (name, dialect, isNear) =>
      own.has(name) ? JSON.stringify(schema(name, dialect)) : types.schemaText(name, dialect, isNear),
  };
}

function objectSchema({ kind, served }: ApiResource, { special }: Dialect): JsonObject {
  const published = served.schema.form?.published?.(special) ?? { type: 'object' };
  const fields = Object.keys(served.selectableFields ?? {});
  return {
    ...published,
    'x-kubernetes-group-version-kind': [gvkObject(kind)],
    ...(fields.length > 0 &&
      special === 'openApi3' && { 'x-kubernetes-selectable-fields': fields.map((fieldPath) => ({ fieldPath })) }),
  };
}

const typeMeta: JsonObject = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
    type: 'string',
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
    type: 'string',
  },
};

function listSchema({ name, kind, served, resource }: ApiResource, dialect: Dialect): JsonObject {
  const reference = refTo(`${meta}.ListMeta`, dialect);
  const { listKind } = resource.names;
  return {
    description: `${listKind} is a list of ${kind.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeMeta,
      items: {
        description: `List of ${name}. More info: ${conventions}`,
        type: 'array',
        items: refTo(served.schema.type, dialect),
      },
      metadata: {
        description: `Standard list metadata. More info: ${conventions}#types-kinds`,
        ...(dialect.wrapsReferences ? { allOf: [reference] } : reference),
      },
    },
    'x-kubernetes-group-version-kind': [gvkObject({ ...kind, kind: listKind })],
  };
}
