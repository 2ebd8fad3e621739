import type { Field, FieldType, JsonObject, Scalar, TypeDefinition } from '@tsukube/machinery';

/** Names of types that exist in every API. */
const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
export const statusType = `${meta}.Status`;
export const deleteOptionsType = `${meta}.DeleteOptions`;
export const patchType = `${meta}.Patch`;
export const watchEventType = `${meta}.WatchEvent`;
export const apiResourceListType = `${meta}.APIResourceList`;
export const apiGroupType = `${meta}.APIGroup`;
export const apiGroupListType = `${meta}.APIGroupList`;
export const apiVersionsType = `${meta}.APIVersions`;
export const versionInfoType = 'io.k8s.apimachinery.pkg.version.Info';

/** Types of discovery documents, which type catalogues lack. */
const text: FieldType = { is: 'string' };
const kind: readonly Field[] = [
  { name: 'kind', type: text },
  { name: 'apiVersion', type: text },
];

function listOf(name: string, of: FieldType): Field {
  return { name, type: { is: 'list', of }, required: true, listType: 'atomic' };
}

function define(name: string, fields: readonly Field[], gvk?: string): TypeDefinition {
  const gvks = gvk === undefined ? undefined : [{ group: '', version: 'v1', kind: gvk }];
  return { name, fields: new Map(fields.map((field) => [field.name, field])), gvks };
}

const required = (name: string): Field => ({ name, type: text, required: true, default: '' });
const optional = (name: string): Field => ({ name, type: text });

const versionFields = [
  ...['major', 'minor'].map(required),
  ...['emulationMajor', 'emulationMinor', 'minCompatibilityMajor', 'minCompatibilityMinor'].map(optional),
  ...['gitVersion', 'gitCommit', 'gitTreeState', 'buildDate', 'goVersion', 'compiler', 'platform'].map(required),
];

const definitions: readonly TypeDefinition[] = [
  define(
    apiVersionsType,
    [
      ...kind,
      listOf('versions', text),
      listOf('serverAddressByClientCIDRs', {
        is: 'object',
        ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR',
      }),
    ],
    'APIVersions',
  ),
  define(apiGroupListType, [...kind, listOf('groups', { is: 'object', ref: apiGroupType })], 'APIGroupList'),
  define(versionInfoType, versionFields),
];

export const discoveryTypes: ReadonlyMap<string, TypeDefinition> = new Map(definitions.map((type) => [type.name, type]));

/** A named type in OpenAPI that is a scalar or `any` in a TypeCatalogue. */
export interface SpecialType {
  readonly name: string;
  readonly openApi3: JsonObject;
  readonly swagger2: JsonObject;
}

const apimachinery = 'io.k8s.apimachinery.pkg';
const dateTime = { type: 'string', format: 'date-time' };

const namedScalars: Readonly<Partial<Record<Scalar, SpecialType>>> = {
  time: both(`${apimachinery}.apis.meta.v1.Time`, dateTime),
  microTime: both(`${apimachinery}.apis.meta.v1.MicroTime`, dateTime),
  duration: both(`${apimachinery}.apis.meta.v1.Duration`, { type: 'string' }),
  quantity: {
    name: `${apimachinery}.api.resource.Quantity`,
    openApi3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    swagger2: { type: 'string' },
  },
  intOrString: {
    name: `${apimachinery}.util.intstr.IntOrString`,
    openApi3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    swagger2: { type: 'string', format: 'int-or-string' },
  },
};

/** Types for arbitrary objects. */
const freeObjects: ReadonlySet<string> = new Set([
  `${apimachinery}.runtime.RawExtension`,
  `${apimachinery}.apis.meta.v1.FieldsV1`,
]);

function both(name: string, schema: JsonObject): SpecialType {
  return { name, openApi3: schema, swagger2: schema };
}

export function specialType(type: FieldType): SpecialType | undefined {
  if (type.is === 'any') return freeType(type);
  return type.is === 'object' || type.is === 'list' || type.is === 'map' ? undefined : namedScalars[type.is];
}

function freeType(type: { readonly is: 'any'; readonly ref?: string }): SpecialType | undefined {
  return type.ref === undefined ? undefined : both(type.ref, freeObjects.has(type.ref) ? { type: 'object' } : {});
}
