import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { deepEqual, type FieldErrors, type FieldPath, type JsonObject, path } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';

const dataPath = path('data');
const binaryDataPath = path('binaryData');

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.ConfigMap'),
  columns: [
    nameColumn,
    column(
      'Data',
      { type: 'io.k8s.api.core.v1.ConfigMap', field: 'data' },
      (object) => sizeOf(object.data) + sizeOf(object.binaryData),
    ),
    ageColumn,
  ],
};

export const configMap: Resource = {
  names: { plural: 'configmaps', singular: 'configmap', kind: 'ConfigMap', listKind: 'ConfigMapList', shortNames: ['cm'] },
  scope: 'Namespaced',
  storagePrefix: '/registry/configmaps',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateCreate: validate,
    validateUpdate(object, old, errors) {
      if (old.immutable === true) validateUnchanged(object, old, errors);
      validate(object, errors);
    },
  },
};

function sizeOf(map: unknown): number {
  return Object.keys((map ?? {}) as object).length;
}

function validate(object: JsonObject, errors: FieldErrors): void {
  const data = (object.data ?? {}) as Record<string, string>;
  const binaryData = (object.binaryData ?? {}) as Record<string, string>;
  validateDataKeys(data, dataPath, errors);
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(binaryData, key)) errors.invalid(dataPath.key(key), key, 'duplicate of key present in binaryData');
  }
  validateDataKeys(binaryData, binaryDataPath, errors);
  withinSize(Object.values(data), Object.values(binaryData), path(''), errors);
}

const frozen = 'field is immutable when `immutable` is set';

function validateUnchanged(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (object.immutable !== true) errors.forbidden(path('immutable'), frozen);
  if (!deepEqual(object.data, old.data)) errors.forbidden(dataPath, frozen);
  if (!deepEqual(object.binaryData, old.binaryData)) errors.forbidden(binaryDataPath, frozen);
}

/** The most that the values of a ConfigMap or a Secret may take together. */
const maxTotalBytes = 1024 * 1024;
const maxKeyLength = 253;
const keyPattern = /^[-._a-zA-Z0-9]+$/;
const keyMessage =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

export function validateDataKeys(data: Record<string, string>, at: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(data)) {
    for (const message of keyProblems(key)) errors.invalid(at.key(key), key, message);
  }
}

function keyProblems(key: string): string[] {
  const problems: string[] = [];
  if (key.length > maxKeyLength) problems.push(`must be no more than ${maxKeyLength} characters`);
  if (!keyPattern.test(key)) problems.push(keyMessage);
  if (key === '.') problems.push("must not be '.'");
  else if (key === '..') problems.push("must not be '..'");
  else if (key.startsWith('..')) problems.push("must not start with '..'");
  return problems;
}

/** Plain values count as UTF-8, encoded ones as what they stand for. */
export function withinSize(plain: readonly string[], base64: readonly string[], at: FieldPath, errors: FieldErrors): void {
  let total = 0;
  for (const value of plain) total += Buffer.byteLength(value);
  for (const value of base64) total += Buffer.byteLength(value, 'base64');
  if (total > maxTotalBytes) errors.tooLong(at, maxTotalBytes);
}
