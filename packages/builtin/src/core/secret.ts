import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  metadataOf,
  parseJson,
  path,
  setKey,
  validateImmutableField,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { validateDataKeys, withinSize } from './config-map.ts';

const secretType = 'io.k8s.api.core.v1.Secret';
const dataPath = path('data');

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Secret'),
  columns: [
    nameColumn,
    column('Type', { type: secretType, field: 'type' }, (object) => (object.type as string | undefined) ?? ''),
    column('Data', { type: secretType, field: 'data' }, (object) => Object.keys(object.data ?? {}).length),
    ageColumn,
  ],
  selectableFields: { type: (object) => (object.type as string | undefined) ?? '' },
};

export const secret: Resource = {
  names: { plural: 'secrets', singular: 'secret', kind: 'Secret', listKind: 'SecretList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/secrets',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    applyDefaults(object) {
      foldStringData(object);
      object.type ||= 'Opaque';
    },
    validateCreate: validate,
    validateUpdate(object, old, errors) {
      validateImmutableField(object.type, old.type, path('type'), errors);
      if (old.immutable === true) validateUnchanged(object, old, errors);
      validate(object, errors);
    },
  },
};

/** stringData is for writing only: its values end up, encoded, in data. */
function foldStringData(object: JsonObject): void {
  const { stringData } = object;
  delete object.stringData;
  if (!isObject(stringData)) return;
  const entries = Object.entries(stringData);
  if (entries.length === 0) return;
  const data: JsonObject = {};
  const merged = new Map(Object.entries((object.data ?? {}) as JsonObject));
  for (const [key, value] of entries) merged.set(key, Buffer.from(value as string).toString('base64'));
  for (const key of [...merged.keys()].sort()) setKey(data, key, merged.get(key) as string);
  object.data = data;
}

type Data = Readonly<Record<string, string>>;

/** What the well-known types of secrets must contain. */
const rules: Readonly<Record<string, (data: Data, object: JsonObject, errors: FieldErrors) => void>> = {
  'kubernetes.io/service-account-token': (_data, object, errors) => {
    const name = 'kubernetes.io/service-account.name';
    const annotations = (metadataOf(object).annotations ?? {}) as Data;
    if (!annotations[name]) errors.required(path('metadata', 'annotations').key(name));
  },
  'kubernetes.io/dockercfg': (data, _object, errors) => requireJson(data, '.dockercfg', errors),
  'kubernetes.io/dockerconfigjson': (data, _object, errors) => requireJson(data, '.dockerconfigjson', errors),
  'kubernetes.io/basic-auth': (data, _object, errors) => {
    if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return;
    errors.required(dataPath.key('username'));
    errors.required(dataPath.key('password'));
  },
  'kubernetes.io/ssh-auth': (data, _object, errors) => {
    if (!Object.hasOwn(data, 'ssh-privatekey') || data['ssh-privatekey'] === '') errors.required(dataPath.key('ssh-privatekey'));
  },
  'kubernetes.io/tls': (data, _object, errors) => {
    for (const key of ['tls.crt', 'tls.key']) if (!Object.hasOwn(data, key)) errors.required(dataPath.key(key));
  },
};

function validate(object: JsonObject, errors: FieldErrors): void {
  const data = (object.data ?? {}) as Record<string, string>;
  validateDataKeys(data, dataPath, errors);
  withinSize([], Object.values(data), dataPath, errors);
  const type = object.type as string;
  if (Object.hasOwn(rules, type)) rules[type]?.(data, object, errors);
}

function requireJson(data: Data, key: string, errors: FieldErrors): void {
  if (!Object.hasOwn(data, key)) errors.required(dataPath.key(key));
  const problem = Object.hasOwn(data, key) && jsonProblem(Buffer.from(data[key] as string, 'base64'));
  if (problem) errors.invalid(dataPath.key(key), '<secret contents redacted>', problem);
}

function jsonProblem(bytes: Buffer): string | undefined {
  try {
    return isObject(parseJson(bytes).value) ? undefined : 'json: cannot unmarshal into Go value of type map[string]interface {}';
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

const frozen = 'field is immutable when `immutable` is set';

function validateUnchanged(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (object.immutable !== true) errors.forbidden(path('immutable'), frozen);
  if (!deepEqual(object.data, old.data)) errors.forbidden(dataPath, frozen);
}
