import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { deepEqual, type FieldErrors, type JsonObject, path } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { validateDataKeys, withinSize } from './data.ts';

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
