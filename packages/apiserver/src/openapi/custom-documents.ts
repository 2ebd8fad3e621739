import { createHash } from 'node:crypto';
import type { JsonObject } from '@tsukube/machinery';
import { type ApiResource, type ApiVersion, apiGroupsOf } from '../discovery/api-group.ts';
import type { Resource, ServedVersion } from '../registry/resource.ts';
import { openApi3Document } from './openapi3-document.ts';
import type { OpenApiOperation, Path } from './operation.ts';
import { getting, listing, type Parameter } from './parameter.ts';
import { resourcePaths } from './resource-paths.ts';
import { type Dialect, gvkObject, refTo } from './schema.ts';
import { type NamedPiece, swagger2Document } from './swagger2-document.ts';
import type { TypeIndex } from './type-index.ts';

/** OpenAPI documents of custom resources. Cached per resource. */
export interface CustomDocuments {
  /** Names below /openapi/v3/: apis/stable.example.com/v1. */
  openApi3Names(): Iterable<string>;
  /** Available without building the document. */
  hashOf(name: string): string | undefined;
  openApi3(name: string): string;
  /** Their part of the OpenAPI 2 document. */
  swagger2(): Iterable<Swagger2Part>;
  /** Call when custom resources change. */
  invalidate(): void;
}

export interface Swagger2Part {
  readonly paths: readonly NamedPiece[];
  readonly definitions: readonly NamedPiece[];
  /** JSON text of the members, without braces. */
  readonly pathsText: string;
  readonly definitionsText: string;
}

const info = { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' };
/** Increase when the format of the documents changes: clients cache them by hash. */
const formVersion = 1;

export function customDocuments(resources: () => Iterable<Resource>, types: () => TypeIndex): CustomDocuments {
  let topics: ReadonlyMap<string, ApiVersion> | undefined;
  const parts = new WeakMap<ServedVersion, Swagger2Part>();
  const current = () => {
    topics ??= topicsOf([...resources()]);
    return topics;
  };
  const partOf = (version: ApiVersion, resource: ApiResource): Swagger2Part => {
    let part = parts.get(resource.served);
    if (!part) {
      part = swagger2Part(version, resource, types());
      parts.set(resource.served, part);
    }
    return part;
  };
  return {
    openApi3Names: () => current().keys(),
    hashOf(name) {
      const version = current().get(name);
      return version && hashOf(version);
    },
    openApi3(name) {
      const version = current().get(name) as ApiVersion;
      const paths = version.resources.flatMap((resource) => customPaths(version, resource));
      return openApi3Document(paths, withCustomTypes(types(), version.resources), info, version);
    },
    *swagger2() {
      for (const version of current().values()) for (const resource of version.resources) yield partOf(version, resource);
    },
    invalidate() {
      topics = undefined;
    },
  };
}

function topicsOf(resources: readonly Resource[]): ReadonlyMap<string, ApiVersion> {
  const versions = apiGroupsOf(resources).flatMap((group) => group.versions);
  return new Map(versions.map((version) => [`apis/${version.groupVersion}`, version]));
}

function hashOf({ groupVersion, resources }: ApiVersion): string {
  const states = resources.map(({ name, resource }) => `${name} ${resource.state ?? ''}`);
  const digest = createHash('sha512').update(`${formVersion}\n${groupVersion}\n${states.join('\n')}`);
  return digest.digest('hex').toUpperCase();
}

function swagger2Part(version: ApiVersion, resource: ApiResource, types: TypeIndex): Swagger2Part {
  const all = withCustomTypes(types, [resource]);
  const { type, listType } = resource.served.schema;
  const own = { ...all, reachableFrom: () => [type, listType] };
  const document = swagger2Document([customPaths(version, resource)], own, info);
  const [paths, definitions] = [[...document.paths()], [...document.definitions()]];
  return { paths, definitions, pathsText: textOf(paths), definitionsText: textOf(definitions) };
}

function textOf(pieces: readonly NamedPiece[]): string {
  return pieces.map(([name, piece]) => `${JSON.stringify(name)}:${JSON.stringify(piece)}`).join(',');
}

const documents = ['application/json', 'application/yaml'];
const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

/** Paths of a custom resource: without deprecated watch paths and without protobuf. */
function customPaths(version: ApiVersion, resource: ApiResource): readonly Path[] {
  return resourcePaths(version, resource)
    .filter(({ path }) => !path.startsWith(`/apis/${version.groupVersion}/watch/`))
    .map(({ path, operations }) => ({ path, operations: operations.map((each) => asCustom(each, resource)) }));
}

function asCustom(operation: OpenApiOperation, { kind }: ApiResource): OpenApiOperation {
  const isCollection = operation.action === 'deletecollection';
  const { body } = operation;
  return {
    ...operation,
    gvk: kind,
    description: operation.action === 'list' ? `list objects of kind ${kind.kind}` : operation.description,
    consumes: operation.method === 'patch' ? patches : documents,
    produces: documents,
    responses: operation.method === 'patch' ? operation.responses.filter(({ code }) => code === 200) : operation.responses,
    body: isCollection ? undefined : body,
    parameters: parametersOf(operation),
  };
}

function parametersOf({ action, parameters }: OpenApiOperation): readonly Parameter[] {
  if (action === 'get') return [...getting, ...parameters];
  if (action !== 'deletecollection') return parameters;
  return [...listing, ...parameters.filter(({ in: place, name }) => place === 'path' || name === 'pretty')];
}

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** Adds the types of custom resources. */
function withCustomTypes(types: TypeIndex, resources: readonly ApiResource[]): TypeIndex {
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
