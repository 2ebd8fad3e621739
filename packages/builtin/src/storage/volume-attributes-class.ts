import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { deepEqual, type FieldErrors, type KubeObject, mapIn, path, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { validateParameters, validateProvisioner } from './storage-class.ts';

const type = 'io.k8s.api.storage.v1.VolumeAttributesClass';

const v1: ServedVersion = {
  group: 'storage.k8s.io',
  version: 'v1',
  schema: schemaOf('storage.v1.VolumeAttributesClass'),
  columns: [nameColumn, column('DriverName', { type, field: 'driverName' }, (object) => textIn(object, 'driverName')), ageColumn],
};

export const volumeAttributesClass: Resource = {
  names: {
    plural: 'volumeattributesclasses',
    singular: 'volumeattributesclass',
    kind: 'VolumeAttributesClass',
    listKind: 'VolumeAttributesClassList',
    shortNames: ['vac'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/volumeattributesclasses',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    validateCreate: validateClass,
    validateUpdate(object, old, errors) {
      for (const field of ['driverName', 'parameters'])
        if (!deepEqual(object[field], old[field])) errors.forbidden(path(field), `updates to ${field} are forbidden.`);
      validateClass(object, errors);
    },
  },
};

function validateClass(object: KubeObject, errors: FieldErrors): void {
  validateProvisioner(textIn(object, 'driverName'), path('driverName'), errors);
  validateParameters(object, path('parameters'), errors);
  if (Object.keys(mapIn(object, 'parameters')).length === 0)
    errors.required(path('parameters'), 'must contain at least one key/value pair');
}
