import {
  type FieldErrors,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { validateNodeSelector } from '../common/node-selector.ts';
import { validateDriverName } from '../core/volume/volume-sources.ts';
import { validateSet } from './bounded-list.ts';
import { validateCounterSet, validateDevice } from './device.ts';
import { validatePoolName } from './names.ts';
import { chosenNodes } from './node-choice.ts';

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
  const most = devices.some(isElaborate) ? maxElaborateDevices : maxDevices;
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

/** What takes more room lets fewer devices into a slice. */
function isElaborate(device: JsonObject): boolean {
  if (objectsIn(device, 'taints').length > 0 || objectsIn(device, 'consumesCounters').length > 0) return true;
  const attributes = Object.values(objectIn(device, 'attributes') ?? {}) as JsonObject[];
  return attributes.some((attribute) => ['bools', 'ints', 'strings', 'versions'].some((field) => attribute[field] !== undefined));
}
