import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  isObject,
  JsonSyntaxError,
  type KubeObject,
  mapIn,
  parseJson,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { sortedMap } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { validateDataKeys, validateDataSize } from './config-map.ts';

const secretType = 'io.k8s.api.core.v1.Secret';
const dataPath = path('data');

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Secret'),
  columns: [
    nameColumn,
    column('Type', { type: secretType, field: 'type' }, (object) => textIn(object, 'type')),
    column('Data', { type: secretType, field: 'data' }, (object) => Object.keys(mapIn(object, 'data')).length),
    ageColumn,
  ],
  selectableFields: { type: (object) => textIn(object, 'type') },
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

/** stringData is write-only: its values are base64-encoded into data. */
function foldStringData(object: KubeObject): void {
  const { stringData } = object;
  delete object.stringData;
  if (!isObject(stringData)) return;
  const entries = Object.entries(stringData);
  if (entries.length === 0) return;
  const merged = new Map(Object.entries(mapIn(object, 'data')));
  for (const [key, value] of entries) merged.set(key, Buffer.from(String(value)).toString('base64'));
  object.data = sortedMap(merged);
}

type Data = Readonly<Record<string, string>>;

/** Required content of the built-in secret types. */
const rules: Readonly<Record<string, (data: Data, object: KubeObject, errors: FieldErrors) => void>> = {
  'kubernetes.io/service-account-token': (_data, object, errors) => {
    const name = 'kubernetes.io/service-account.name';
    if (!object.metadata.annotations?.[name]) errors.required(path('metadata', 'annotations').key(name));
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

function validate(object: KubeObject, errors: FieldErrors): void {
  const data = mapIn(object, 'data');
  validateDataKeys(data, dataPath, errors);
  validateDataSize([], Object.values(data), dataPath, errors);
  const type = textIn(object, 'type');
  if (Object.hasOwn(rules, type)) rules[type]?.(data, object, errors);
}

function requireJson(data: Data, key: string, errors: FieldErrors): void {
  const content = Object.hasOwn(data, key) ? data[key] : undefined;
  if (content === undefined) errors.required(dataPath.key(key));
  const problem = content !== undefined && jsonProblem(Buffer.from(content, 'base64'));
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

const isImmutable = 'field is immutable when `immutable` is set';

function validateUnchanged(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if (object.immutable !== true) errors.forbidden(path('immutable'), isImmutable);
  if (!deepEqual(object.data, old.data)) errors.forbidden(dataPath, isImmutable);
}
