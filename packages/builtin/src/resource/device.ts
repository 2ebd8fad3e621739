import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Label,
  isValidLabelValue,
  type JsonObject,
  type JsonValue,
  objectIn,
  objectsIn,
  repeats,
  textIn,
  textsIn,
  validateLabelName,
} from '@tsukube/machinery';
import { validateNodeSelector } from '../common/node-selector.ts';
import { chosenNodes } from './resource-slice.ts';
import { validateAttributeName, validateLabelText, validateList, validateSet } from './validation.ts';

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
  for (const name of Object.keys(attributes)) {
    validateAttributeName(name, at.child('attributes'), errors);
    validateAttribute(objectIn(attributes, name) ?? {}, at.child('attributes').key(name), errors);
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

const effects = ['NoExecute', 'NoSchedule', 'None'];
const operators = ['Equal', 'Exists'];

export function validateTaint(taint: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateLabelName(textIn(taint, 'key'), at.child('key'), errors);
  validateValue(textIn(taint, 'value'), at.child('value'), errors);
  const effect = textIn(taint, 'effect');
  if (effect === '') errors.required(at.child('effect'));
  else if (!effects.includes(effect)) errors.notSupported(at.child('effect'), effect, effects);
}

export function validateToleration(toleration: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [key, value] = [textIn(toleration, 'key'), textIn(toleration, 'value')];
  const [operator, effect] = [textIn(toleration, 'operator'), textIn(toleration, 'effect')];
  if (key !== '') validateLabelName(key, at.child('key'), errors);
  if (operator === '') errors.required(at.child('operator'));
  else if (!operators.includes(operator)) errors.notSupported(at.child('operator'), operator, operators);
  if (operator === 'Equal') validateValue(value, at.child('value'), errors);
  if (operator === 'Exists' && value !== '') errors.invalid(at.child('value'), value, 'must be empty for operator `Exists`');
  if (effect !== '' && !effects.includes(effect)) errors.notSupported(at.child('effect'), effect, effects);
}

function validateValue(value: string, at: FieldPath, errors: FieldErrors): void {
  for (const problem of isValidLabelValue(value)) errors.invalid(at, value, problem);
}

const maxValue = 64;
const number = '(0|[1-9]\\d*)';
const preRelease = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const build = '[0-9a-zA-Z-]+';
const semanticVersion = new RegExp(
  `^${number}\\.${number}\\.${number}(-${preRelease}(\\.${preRelease})*)?(\\+${build}(\\.${build})*)?$`,
);

/** The fields of an attribute value, of which exactly one is set; in Kubernetes' order. */
const forms = ['int', 'bool', 'string', 'version', 'ints', 'bools', 'strings', 'versions'];
const shownForms = ['Int', 'Bool', 'String', 'Version'];

export function validateAttribute(attribute: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateText(attribute.string, at.child('string'), errors);
  validateVersion(attribute.version, at.child('version'), errors);
  for (const field of ['strings', 'versions'] as const) {
    const values = attribute[field];
    if (!Array.isArray(values)) continue;
    const validate = field === 'strings' ? validateText : validateVersion;
    for (const [i, value] of values.entries()) validate(value, at.child(field).index(i), errors);
  }
  const set = forms.filter((form) => attribute[form] !== undefined);
  if (set.length !== 1) errors.invalid(at, set.length === 0 ? '' : shown(attribute), 'exactly one value must be specified');
}

function validateText(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value === 'string' && Buffer.byteLength(value) > maxValue) errors.tooLong(at, maxValue);
}

function validateVersion(value: JsonValue | undefined, at: FieldPath, errors: FieldErrors): void {
  if (typeof value !== 'string') return;
  // Avoids matching overlong values.
  if (value.length > maxValue || !semanticVersion.test(value))
    errors.invalid(at, value, 'must be a string compatible with semver.org spec 2.0.0');
  validateText(value, at, errors);
}

/** As Kubernetes shows it, which is not as it is written. */
function shown(attribute: JsonObject): JsonObject {
  const value: JsonObject = {};
  for (const form of shownForms) value[`${form}Value`] = attribute[form.toLowerCase()] ?? null;
  for (const form of shownForms) value[`${form}Values`] = attribute[`${form.toLowerCase()}s`] ?? null;
  return value;
}

const maxConditions = 4;
const [success, failure] = ['bindingConditions', 'bindingFailureConditions'];

/** bindingConditions and bindingFailureConditions require each other. */
export function validateBindingConditions(device: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [conditions, failures] = [textsIn(device, success), textsIn(device, failure)];
  validateList(conditions, maxConditions, at.child(success), errors, validateLabelName);
  validateList(failures, maxConditions, at.child(failure), errors, validateLabelName);
  const known = new Set(conditions);
  const [repeated, repeatedFailures] = [repeats(conditions), repeats(failures)];
  for (const [i, condition] of conditions.entries()) if (repeated[i]) errors.duplicate(at.child(success).index(i), condition);
  for (const [i, condition] of failures.entries()) {
    if (repeatedFailures[i]) errors.duplicate(at.child(failure).index(i), condition);
    if (known.has(condition))
      errors.invalid(at.child(failure).index(i), condition, `${failure} must not overlap with ${success}`);
  }
  requireBoth(device, failures, success, failure, at, errors);
  requireBoth(device, conditions, failure, success, at, errors);
}

function requireBoth(
  device: JsonObject,
  used: readonly string[],
  needed: string,
  user: string,
  at: FieldPath,
  errors: FieldErrors,
): void {
  if (used.length > 0 && textsIn(device, needed).length === 0)
    errors.invalid(at.child(needed), device[needed] ?? null, `${needed} are required to use ${user}`);
}
