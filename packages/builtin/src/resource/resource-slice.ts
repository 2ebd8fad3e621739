import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  formatTime,
  isObject,
  type JsonObject,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { validateNodeSelector } from '../common/node-selector.ts';
import { schemaOf } from '../common/schema.ts';
import { validateDriverName } from '../core/volume/storage-systems.ts';
import { validateCounterSet, validateDevice } from './device.ts';
import { validatePoolName, validateSet } from './validation.ts';

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

/** Drops fields of disabled feature gates. */
function dropUnserved(object: JsonObject): void {
  for (const device of objectsIn(objectIn(object, 'spec'), 'devices')) {
    delete device.nodeAllocatableResourceMappings;
    for (const attribute of attributesOf(device)) for (const form of listForms) delete attribute[form];
  }
}

function defaultDevice(device: JsonObject, now: number): void {
  for (const taint of objectsIn(device, 'taints')) taint.timeAdded ??= formatTime(now);
}

const specPath = path('spec');
const maxDevices = 128;
const maxElaborateDevices = 64;
const maxCounterSets = 8;
const nameOf = (item: JsonObject) => textIn(item, 'name');

export function validateSlice(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const [spec, before] = [objectIn(object, 'spec') ?? {}, objectIn(old, 'spec')];
  validateDriverName(textIn(spec, 'driver'), specPath.child('driver'), errors);
  validatePool(objectIn(spec, 'pool'), errors);
  if (before) validateFixed(spec, before, errors);
  validateNodes(spec, errors);
  const [devices, counterSets] = [objectsIn(spec, 'devices'), objectsIn(spec, 'sharedCounters')];
  if (counterSets.length > 0 && devices.length > 0)
    errors.invalid(specPath, '', 'only one of `sharedCounters` or `devices` is allowed');
  const most = devices.some(needsLowerLimit) ? maxElaborateDevices : maxDevices;
  validateSet(devices, most, nameOf, specPath.child('devices'), errors, (device, at) =>
    validateDevice(device, spec.perDeviceNodeSelection === true, at, errors),
  );
  validateSet(counterSets, maxCounterSets, nameOf, specPath.child('sharedCounters'), errors, validateCounterSet);
}

function validatePool(pool: JsonObject | undefined, errors: FieldErrors): void {
  const at = specPath.child('pool');
  const [count, generation] = [numberIn(pool, 'resourceSliceCount'), numberIn(pool, 'generation')];
  validatePoolName(textIn(pool, 'name'), at.child('name'), errors);
  if (count <= 0) errors.invalid(at.child('resourceSliceCount'), count, 'must be greater than zero');
  if (generation < 0) errors.invalid(at.child('generation'), generation, 'must be greater than or equal to zero');
}

function validateFixed(spec: JsonObject, before: JsonObject, errors: FieldErrors): void {
  const poolName = (owner: JsonObject) => objectIn(owner, 'pool')?.name;
  validateImmutableField(poolName(spec), poolName(before), specPath.child('pool', 'name'), errors);
  for (const field of ['driver', 'nodeName']) validateImmutableField(spec[field], before[field], specPath.child(field), errors);
}

function validateNodes(spec: JsonObject, errors: FieldErrors): void {
  const selector = objectIn(spec, 'nodeSelector');
  const chosen = chosenNodes(spec, specPath, 'must be either unset or set to a non-empty string', errors, () => {
    if (!selector) return;
    validateNodeSelector(selector, specPath.child('nodeSelector'), errors);
    const terms = objectsIn(selector, 'nodeSelectorTerms');
    if (terms.length !== 1)
      errors.invalid(
        specPath.child('nodeSelector', 'nodeSelectorTerms'),
        selector.nodeSelectorTerms ?? null,
        'must have exactly one node selector term',
      );
  });
  if (spec.perDeviceNodeSelection === true) chosen.push('`perDeviceNodeSelection`');
  if (spec.perDeviceNodeSelection === false)
    errors.invalid(specPath.child('perDeviceNodeSelection'), false, 'must be either unset or set to true');
  const oneOf = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (chosen.length === 0) errors.required(specPath, oneOf);
  if (chosen.length > 1) errors.invalid(specPath, `{${chosen.join(', ')}}`, `${oneOf}, but multiple fields are set`);
}

/** Slices with taints, counters or list attributes have a lower limit of devices. */
function needsLowerLimit(device: JsonObject): boolean {
  if (objectsIn(device, 'taints').length > 0 || objectsIn(device, 'consumesCounters').length > 0) return true;
  return attributesOf(device).some((attribute) => listForms.some((field) => attribute[field] !== undefined));
}

function attributesOf(device: JsonObject): readonly JsonObject[] {
  return Object.values(objectIn(device, 'attributes') ?? {}).filter((attribute) => isObject(attribute));
}

/** The set fields among nodeName, nodeSelector, allNodes and perDeviceNodeSelection. Errors are reported in this order. */
export function chosenNodes(
  owner: JsonObject,
  at: FieldPath,
  emptyName: string,
  errors: FieldErrors,
  validateSelector: () => void,
): string[] {
  const chosen: string[] = [];
  const name = textIn(owner, 'nodeName');
  if (owner.nodeName !== undefined && name === '') errors.invalid(at.child('nodeName'), name, emptyName);
  if (name !== '') {
    chosen.push('`nodeName`');
    for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at.child('nodeName'), name, problem);
  }
  if (owner.nodeSelector !== undefined) chosen.push('`nodeSelector`');
  validateSelector();
  if (owner.allNodes === true) chosen.push('`allNodes`');
  if (owner.allNodes === false) errors.invalid(at.child('allNodes'), false, 'must be either unset or set to true');
  return chosen;
}
