import type { Field, FieldType, GroupVersionKind, JsonObject, JsonValue, TypeDefinition } from '@tsukube/machinery';
import { type SpecialType, specialType } from './well-known-types.ts';

/** Description of a type or field; empty if there is none. */
export type Describe = (type: string, field?: string) => string;

/** Differences between OpenAPI 2 and 3. */
export interface Dialect {
  readonly special: 'openApi3' | 'swagger2';
  readonly refPrefix: string;
  readonly defaults: boolean;
  /** A `$ref` with siblings is wrapped in allOf. */
  readonly wrapsReferences: boolean;
}

export const openApi3: Dialect = {
  special: 'openApi3',
  refPrefix: '#/components/schemas/',
  defaults: true,
  wrapsReferences: true,
};
export const swagger2: Dialect = { special: 'swagger2', refPrefix: '#/definitions/', defaults: false, wrapsReferences: false };

export function refTo(type: string, dialect: Dialect): JsonObject {
  return { $ref: dialect.refPrefix + type };
}

export function schemaOfType(type: TypeDefinition, dialect: Dialect, describe: Describe): JsonObject {
  const fields = [...type.fields.values()];
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const properties = fields
    .sort(byName)
    .map((field) => [field.name, schemaOfField(field, dialect, describe(type.name, field.name))] as const);
  return {
    ...described(describe(type.name)),
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(type.gvks && { 'x-kubernetes-group-version-kind': type.gvks.map(gvkObject) }),
    ...(type.mapType && { 'x-kubernetes-map-type': type.mapType }),
    ...unionOf(type),
  };
}

export function schemaOfSpecial(type: SpecialType, dialect: Dialect, describe: Describe): JsonObject {
  return { ...described(describe(type.name)), ...type[dialect.special] };
}

export function gvkObject({ group, kind, version }: GroupVersionKind): JsonObject {
  return { group, kind, version };
}

const byName = (a: Field, b: Field) => (a.name < b.name ? -1 : Number(a.name > b.name));
const described = (description: string): JsonObject => (description === '' ? {} : { description });

interface Union {
  readonly discriminator?: string;
  readonly fields: Readonly<Record<string, string>>;
}

function unionOf({ union }: TypeDefinition & { readonly union?: Union }): JsonObject {
  if (!union) return {};
  const { discriminator, fields } = union;
  return { 'x-kubernetes-unions': [{ ...(discriminator && { discriminator }), 'fields-to-discriminateBy': { ...fields } }] };
}

function schemaOfField(field: Field, dialect: Dialect, description: string): JsonObject {
  const extras = described(description);
  if (dialect.defaults && field.default !== undefined) extras.default = field.default;
  addMarkers(extras, field);
  return beside(schemaOf(field.type, dialect, field.enum), extras, dialect);
}

function addMarkers(schema: JsonObject, field: Field): void {
  if (field.listMapKeys) schema['x-kubernetes-list-map-keys'] = [...field.listMapKeys];
  if (field.listType) schema['x-kubernetes-list-type'] = field.listType;
  if (field.mapType) schema['x-kubernetes-map-type'] = field.mapType;
  if (field.patchMergeKey) schema['x-kubernetes-patch-merge-key'] = field.patchMergeKey;
  if (field.patchStrategy) schema['x-kubernetes-patch-strategy'] = field.patchStrategy;
}

/** Adds siblings to a schema. */
function beside(schema: JsonObject, extras: JsonObject, { wrapsReferences }: Dialect): JsonObject {
  if (!wrapsReferences || schema.$ref === undefined) return { ...extras, ...schema };
  for (const _ in extras) return { ...extras, allOf: [schema] };
  return schema;
}

function schemaOf(type: FieldType, dialect: Dialect, values?: readonly string[]): JsonObject {
  const special = specialType(type);
  if (special) return refTo(special.name, dialect);
  switch (type.is) {
    case 'object':
      return refTo(type.ref, dialect);
    case 'list':
      return { type: 'array', items: schemaOfItem(type.of, dialect, values) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOfItem(type.of, dialect, values) };
    case 'any':
      return { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    default:
      return { ...scalars[type.is], ...(values && { enum: [...values] }) };
  }
}

/** Items have the zero value of their type as default. */
function schemaOfItem(type: FieldType, dialect: Dialect, values?: readonly string[]): JsonObject {
  const schema = schemaOf(type, dialect, values);
  const zero = dialect.defaults ? zeroOf(type) : undefined;
  return zero === undefined ? schema : beside(schema, { default: zero }, dialect);
}

function zeroOf(type: FieldType): JsonValue | undefined {
  switch (type.is) {
    case 'object':
      return {};
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    default:
      return undefined;
  }
}

const scalars: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};
