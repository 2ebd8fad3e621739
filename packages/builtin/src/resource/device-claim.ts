import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  isObject,
  type JsonObject,
  type JsonValue,
  numberIn,
  objectIn,
  objectsIn,
  stringifyJson,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { validateDriverName } from '../core/volume/storage-systems.ts';
import { validateToleration } from './device.ts';
import { validateFullAttributeName, validateLabelText, validateList, validateSet } from './validation.ts';

export const maxRequests = 32;
const maxAlternatives = 8;
const maxConstraints = 32;
export const maxConfigurations = 32;

/** All requests of a claim, `firstAvailable` alternatives included. */
function exactRequests(devices: JsonObject | undefined): readonly JsonObject[] {
  return objectsIn(devices, 'requests').flatMap((request) => {
    const exactly = objectIn(request, 'exactly');
    return [...(exactly ? [exactly] : []), ...objectsIn(request, 'firstAvailable')];
  });
}

export function defaultDeviceClaim(spec: JsonObject | undefined): void {
  const devices = objectIn(spec, 'devices');
  for (const request of exactRequests(devices)) {
    request.allocationMode ||= 'ExactCount';
    if (request.allocationMode === 'ExactCount') request.count ||= 1;
    for (const toleration of objectsIn(request, 'tolerations')) toleration.operator ||= 'Equal';
  }
}

export function validateDeviceClaim(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const devices = objectIn(spec, 'devices');
  const devicesAt = at.child('devices');
  const validateReference = requestReference(devices);
  const nameOf = (request: JsonObject) => textIn(request, 'name');
  validateSet(objectsIn(devices, 'requests'), maxRequests, nameOf, devicesAt.child('requests'), errors, validateRequest);
  validateList(objectsIn(devices, 'constraints'), maxConstraints, devicesAt.child('constraints'), errors, (constraint, itemAt) =>
    validateConstraint(constraint, validateReference, itemAt, errors),
  );
  validateList(objectsIn(devices, 'config'), maxConfigurations, devicesAt.child('config'), errors, (config, itemAt) => {
    validateReferences(config, validateReference, itemAt, errors);
    validateDeviceConfiguration(config, itemAt, errors);
  });
}

function validateRequest(request: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [exactly, alternatives] = [objectIn(request, 'exactly'), objectsIn(request, 'firstAvailable')];
  const oneOf = 'exactly one of `exactly` or `firstAvailable` is required';
  validateLabelText(textIn(request, 'name'), at.child('name'), errors);
  if (exactly && alternatives.length > 0) errors.invalid(at, null, `${oneOf}, but multiple fields are set`);
  else if (exactly) validateExactRequest(exactly, at.child('exactly'), errors);
  else if (alternatives.length > 0)
    validateSet(
      alternatives,
      maxAlternatives,
      (each) => textIn(each, 'name'),
      at.child('firstAvailable'),
      errors,
      validateAlternative,
    );
  else errors.required(at, oneOf);
}

function validateAlternative(request: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateLabelText(textIn(request, 'name'), at.child('name'), errors);
  validateExactRequest(request, at, errors);
}

function validateExactRequest(request: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, nameAt] = [textIn(request, 'deviceClassName'), at.child('deviceClassName')];
  if (name === '') errors.required(nameAt);
  else for (const problem of isDNS1123Subdomain(name)) errors.invalid(nameAt, name, problem);
  validateSelectors(request, at.child('selectors'), errors);
  validateCount(textIn(request, 'allocationMode'), numberIn(request, 'count'), at, errors);
  for (const [i, toleration] of objectsIn(request, 'tolerations').entries())
    validateToleration(toleration, at.child('tolerations').index(i), errors);
}

function validateCount(mode: string, count: number, at: FieldPath, errors: FieldErrors): void {
  const modes = ['All', 'ExactCount'];
  if (!modes.includes(mode)) errors.notSupported(at.child('allocationMode'), mode, modes);
  if (mode === 'All' && count !== 0)
    errors.invalid(at.child('count'), count, "must not be specified when allocationMode is 'All'");
  if (mode === 'ExactCount' && count <= 0) errors.invalid(at.child('count'), count, 'must be greater than zero');
}

type ValidateReference = (name: string, at: FieldPath, errors: FieldErrors) => void;

/** Requests are referenced as REQUEST, alternatives as REQUEST/ALTERNATIVE. */
export function requestReference(devices: JsonObject | undefined): ValidateReference {
  const known = new Set<string>();
  for (const request of objectsIn(devices, 'requests')) {
    const name = textIn(request, 'name');
    known.add(name);
    for (const each of objectsIn(request, 'firstAvailable')) known.add(`${name}/${textIn(each, 'name')}`);
  }
  return (name, at, errors) => {
    const segments = name.split('/');
    if (segments.length <= 2) for (const segment of segments) validateLabelText(segment, at, errors);
    if (!known.has(name))
      errors.invalid(
        at,
        name,
        "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'",
      );
  };
}

export function validateReferences(owner: JsonObject, validate: ValidateReference, at: FieldPath, errors: FieldErrors): void {
  validateSet(textsIn(owner, 'requests'), maxRequests, (name) => name, at.child('requests'), errors, validate);
}

function validateConstraint(
  constraint: JsonObject,
  validateReference: ValidateReference,
  at: FieldPath,
  errors: FieldErrors,
): void {
  validateReferences(constraint, validateReference, at, errors);
  const field = ['matchAttribute', 'distinctAttribute'].find((each) => constraint[each] !== undefined);
  if (field) validateFullAttributeName(textIn(constraint, field), at.child(field), errors);
  else errors.required(at, 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set');
}

const maxSelectors = 32;
const maxExpression = 10 * 1024;
const maxParameters = 10 * 1024;

export function validateSelectors(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  validateList(objectsIn(owner, 'selectors'), maxSelectors, at, errors, (selector, itemAt) => {
    const cel = objectIn(selector, 'cel');
    if (!cel) errors.required(itemAt.child('cel'));
    else if (Buffer.byteLength(textIn(cel, 'expression')) > maxExpression)
      errors.tooLong(itemAt.child('cel', 'expression'), maxExpression);
    else if (textIn(cel, 'expression') === '') errors.required(itemAt.child('cel', 'expression'));
  });
}

/** Opaque driver parameters. */
export function validateDeviceConfiguration(config: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const opaque = objectIn(config, 'opaque');
  if (!opaque) {
    errors.required(at.child('opaque'));
    return;
  }
  validateDriverName(textIn(opaque, 'driver'), at.child('opaque', 'driver'), errors);
  validateOpaque(opaque.parameters, maxParameters, at.child('opaque', 'parameters'), errors);
}

export function validateOpaque(value: JsonValue | undefined, most: number, at: FieldPath, errors: FieldErrors): void {
  if (value === undefined || value === null) errors.required(at);
  else if (Buffer.byteLength(stringifyJson(value)) > most) errors.tooLong(at, most);
  else if (!isObject(value)) errors.invalid(at, '<value omitted>', 'must be a valid JSON object');
}
