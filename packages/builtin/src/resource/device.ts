import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Label,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { validateNodeSelector } from '../common/node-selector.ts';
import { validateBindingConditions } from './binding-conditions.ts';
import { validateList, validateSet } from './bounded-list.ts';
import { validateAttribute } from './device-attribute.ts';
import { validateAttributeName, validateLabelText } from './names.ts';
import { chosenNodes } from './node-choice.ts';
import { validateTaint } from './taints.ts';

const maxProperties = 32;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;

export function validateDevice(device: JsonObject, perDevice: boolean, at: FieldPath, errors: FieldErrors): void {
  const [attributes, capacity] = [objectIn(device, 'attributes') ?? {}, objectIn(device, 'capacity') ?? {}];
  validateLabelText(textIn(device, 'name'), at.child('name'), errors);
  const properties = Object.keys(attributes).length + Object.keys(capacity).length;
  if (properties > maxProperties)
    errors.invalid(at, properties, `the total number of attributes and capacities must not exceed ${maxProperties}`);
  for (const [name, attribute] of Object.entries(attributes)) {
    validateAttributeName(name, at.child('attributes'), errors);
    validateAttribute(attribute as JsonObject, at.child('attributes').key(name), errors);
  }
  for (const name of Object.keys(capacity)) validateAttributeName(name, at.child('capacity'), errors);
  validateList(objectsIn(device, 'taints'), maxTaints, at.child('taints'), errors, validateTaint);
  const consumptions = objectsIn(device, 'consumesCounters');
  const setOf = (consumption: JsonObject) => textIn(consumption, 'counterSet');
  validateSet(consumptions, maxConsumptions, setOf, at.child('consumesCounters'), errors, (each, itemAt) =>
    validateCounters(each, 'counterSet', itemAt, errors),
  );
  validateDeviceNodes(device, perDevice, at, errors);
  validateBindingConditions(device, at, errors);
}

function validateDeviceNodes(device: JsonObject, perDevice: boolean, at: FieldPath, errors: FieldErrors): void {
  if (!perDevice) {
    if (['nodeName', 'nodeSelector', 'allNodes'].some((field) => device[field] !== undefined))
      errors.invalid(
        at,
        null,
        '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      );
    return;
  }
  const selector = objectIn(device, 'nodeSelector');
  const chosen = chosenNodes(device, at, 'must not be empty', errors, () => {
    if (selector) validateNodeSelector(selector, at.child('nodeSelector'), errors);
  });
  const oneOf =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (chosen.length === 0) errors.required(at, oneOf);
  if (chosen.length > 1) errors.invalid(at, `{${chosen.join(', ')}}`, oneOf);
}

export function validateCounterSet(counterSet: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateCounters(counterSet, 'name', at, errors);
}

function validateCounters(owner: JsonObject, nameField: string, at: FieldPath, errors: FieldErrors): void {
  const [name, counters] = [textIn(owner, nameField), Object.keys(objectIn(owner, 'counters') ?? {})];
  if (name === '') errors.required(at.child(nameField));
  else validateLabelText(name, at.child(nameField), errors);
  if (counters.length === 0) errors.required(at.child('counters'));
  if (counters.length > maxCounters) errors.tooMany(at.child('counters'), counters.length, maxCounters);
  else
    for (const counter of counters)
      for (const problem of isDNS1123Label(counter)) errors.invalid(at.child('counters'), counter, problem);
}
