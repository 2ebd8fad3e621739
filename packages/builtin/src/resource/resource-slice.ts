import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { deepEqual, formatTime, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { validateSlice } from './resource-slice-validation.ts';

const types = 'io.k8s.api.resource.v1';
const nodeOf = (object: JsonObject) => textIn(objectIn(object, 'spec'), 'nodeName');
const driverOf = (object: JsonObject) => textIn(objectIn(object, 'spec'), 'driver');

const v1: ServedVersion = {
  group: 'resource.k8s.io',
  version: 'v1',
  schema: schemaOf('resource.v1.ResourceSlice'),
  columns: [
    nameColumn,
    column('Node', { type: `${types}.ResourceSliceSpec`, field: 'nodeName' }, nodeOf),
    column('Driver', { type: `${types}.ResourceSliceSpec`, field: 'driver' }, driverOf),
    column('Pool', { type: `${types}.ResourcePool`, field: 'name' }, (object) =>
      textIn(objectIn(objectIn(object, 'spec'), 'pool'), 'name'),
    ),
    ageColumn,
  ],
  selectableFields: { 'spec.nodeName': nodeOf, 'spec.driver': driverOf },
};

export const resourceSlice: Resource = {
  names: { plural: 'resourceslices', singular: 'resourceslice', kind: 'ResourceSlice', listKind: 'ResourceSliceList' },
  scope: 'Cluster',
  storagePrefix: '/registry/resourceslices',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    returnDeletedObject: true,
    generation: true,
    applyDefaults(object) {
      for (const device of objectsIn(objectIn(object, 'spec'), 'devices')) defaultDevice(device, Date.now());
    },
    prepareForCreate: (object) => dropUnserved(object),
    prepareForUpdate: (object, old) => {
      if (!deepEqual(object.spec, old.spec)) dropUnserved(object);
    },
    validateCreate: (object, errors) => validateSlice(object, undefined, errors),
    validateUpdate: validateSlice,
  },
};

const listForms = ['ints', 'bools', 'strings', 'versions'];

/** The types know more than Kubernetes serves unless it is asked to. */
function dropUnserved(object: JsonObject): void {
  for (const device of objectsIn(objectIn(object, 'spec'), 'devices')) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(objectIn(device, 'attributes') ?? {}))
      for (const form of listForms) delete (attribute as JsonObject)[form];
  }
}

function defaultDevice(device: JsonObject, now: number): void {
  for (const taint of objectsIn(device, 'taints')) taint.timeAdded ??= formatTime(now);
}
