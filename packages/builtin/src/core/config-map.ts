import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { deepEqual, type FieldErrors, type FieldPath, type KubeObject, mapIn, path } from '@tsukube/machinery';
import { isConfigKey, report } from '../common/field-validation.ts';
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
      (object) => Object.keys(mapIn(object, 'data')).length + Object.keys(mapIn(object, 'binaryData')).length,
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

function validate(object: KubeObject, errors: FieldErrors): void {
  const data = mapIn(object, 'data');
  const binaryData = mapIn(object, 'binaryData');
  validateDataKeys(data, dataPath, errors);
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(binaryData, key)) errors.invalid(dataPath.key(key), key, 'duplicate of key present in binaryData');
  }
  validateDataKeys(binaryData, binaryDataPath, errors);
  validateDataSize(Object.values(data), Object.values(binaryData), path(''), errors);
}

const isImmutable = 'field is immutable when `immutable` is set';

function validateUnchanged(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if (object.immutable !== true) errors.forbidden(path('immutable'), isImmutable);
  if (!deepEqual(object.data, old.data)) errors.forbidden(dataPath, isImmutable);
  if (!deepEqual(object.binaryData, old.binaryData)) errors.forbidden(binaryDataPath, isImmutable);
}

/** Limit for the sum of all values of a ConfigMap or Secret. */
const maxTotalBytes = 1024 * 1024;

export function validateDataKeys(data: Readonly<Record<string, string>>, at: FieldPath, errors: FieldErrors): void {
  for (const key of Object.keys(data)) report(isConfigKey(key), at.key(key), key, errors);
}

/** Plain values count as UTF-8, base64 values with their decoded size. */
export function validateDataSize(plain: readonly string[], base64: readonly string[], at: FieldPath, errors: FieldErrors): void {
  let total = 0;
  for (const value of plain) total += Buffer.byteLength(value);
  for (const value of base64) total += Buffer.byteLength(value, 'base64');
  if (total > maxTotalBytes) errors.tooLong(at, maxTotalBytes);
}
