import type { Field, FieldType, TypeDefinition } from '@tsukube/machinery';
import { apiGroupListType, apiGroupType, apiVersionsType, versionInfoType } from './meta-types.ts';

/** Types of answers that are no objects, which a catalogue of objects need not have. */
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
