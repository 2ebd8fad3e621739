import {
  canonicalJson,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  metadataOf,
  objectIn,
  objectsIn,
  path,
  textIn,
  validateImmutableField,
} from '@tsukube/machinery';
import { validateConditions } from '../common/conditions.ts';
import { validateNodeSelector } from '../common/node-selector.ts';
import { validateDriverName } from '../core/volume/storage-systems.ts';
import { validateBindingConditions } from './device.ts';
import {
  maxConfigurations,
  maxRequests,
  requestReference,
  validateDeviceConfiguration,
  validateOpaque,
  validateReferences,
} from './device-claim.ts';
import { validateLabelText, validateList, validatePoolName, validateSet } from './validation.ts';

const at = path('status');
const maxReservations = 256;
const maxData = 10 * 1024;
const sources = ['FromClaim', 'FromClass'];

/** Validates allocation, reservations and device status. */
export function validateResourceClaimStatus(object: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const [status, before] = [objectIn(object, 'status') ?? {}, objectIn(old, 'status')];
  const [allocation, allocated] = [objectIn(status, 'allocation'), objectIn(before, 'allocation')];
  const reservations = objectsIn(status, 'reservedFor');
  const uidOf = (reservation: JsonObject) => textIn(reservation, 'uid');
  validateSet(reservations, maxReservations, uidOf, at.child('reservedFor'), errors, validateReservation);
  validateDevices(status, allocation, errors);
  if (reservations.length > 0 && !allocation)
    errors.forbidden(at.child('reservedFor'), 'may not be specified when `allocated` is not set');
  else if (metadataOf(object).deletionTimestamp) validateNoNewReservations(reservations, before, errors);
  if (allocation && allocated) validateImmutableField(allocation, allocated, at.child('allocation'), errors);
  else if (allocation) validateAllocation(allocation, objectIn(object, 'spec'), errors);
}

function validateReservation(reservation: JsonObject, itemAt: FieldPath, errors: FieldErrors): void {
  for (const field of ['resource', 'name', 'uid']) if (textIn(reservation, field) === '') errors.required(itemAt.child(field));
}

function validateNoNewReservations(
  reservations: readonly JsonObject[],
  before: JsonObject | undefined,
  errors: FieldErrors,
): void {
  const known = new Set(objectsIn(before, 'reservedFor').map(canonicalJson));
  if (reservations.every((reservation) => known.has(canonicalJson(reservation)))) return;
  errors.forbidden(
    at.child('reservedFor'),
    'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
  );
}

function deviceKey(device: JsonObject): string {
  const share = textIn(device, 'shareID');
  const id = ['driver', 'pool', 'device'].map((field) => textIn(device, field)).join('/');
  return share === '' ? id : `${id}/${share}`;
}

/** The key of a device as Go prints it. */
function shownDevice(device: JsonObject): JsonObject {
  const shown = { Driver: textIn(device, 'driver'), Pool: textIn(device, 'pool'), Device: textIn(device, 'device') };
  return { ...shown, ShareID: textIn(device, 'shareID') };
}

/** Removes the status of devices that are no longer allocated. */
export function dropDeallocatedDevices(object: JsonObject, old: JsonObject): void {
  const allocated = (claim: JsonObject) =>
    objectsIn(objectIn(objectIn(objectIn(claim, 'status'), 'allocation'), 'devices'), 'results').map(deviceKey);
  const status = objectIn(object, 'status');
  const held = new Set(allocated(object));
  const gone = new Set(allocated(old).filter((key) => !held.has(key)));
  if (!status || gone.size === 0) return;
  const devices = objectsIn(status, 'devices').filter((device) => !gone.has(deviceKey(device)));
  if (devices.length > 0) status.devices = devices;
  else delete status.devices;
}

function validateDevices(status: JsonObject, allocation: JsonObject | undefined, errors: FieldErrors): void {
  const known = new Set(objectsIn(objectIn(allocation, 'devices'), 'results').map(deviceKey));
  const devices = objectsIn(status, 'devices');
  validateSet(devices, devices.length, deviceKey, at.child('devices'), errors, (device, itemAt) => {
    validateDevice(device, itemAt, errors);
    if (!known.has(deviceKey(device))) errors.invalid(itemAt, shownDevice(device), 'must be an allocated device in the claim');
    validateConditions(objectsIn(device, 'conditions'), itemAt.child('conditions'), errors);
    if (device.data !== undefined && device.data !== null) validateOpaque(device.data, maxData, itemAt.child('data'), errors);
  });
}

function validateDevice(device: JsonObject, itemAt: FieldPath, errors: FieldErrors): void {
  validateDriverName(textIn(device, 'driver'), itemAt.child('driver'), errors);
  validatePoolName(textIn(device, 'pool'), itemAt.child('pool'), errors);
  validateLabelText(textIn(device, 'device'), itemAt.child('device'), errors);
}

function validateAllocation(allocation: JsonObject, spec: JsonObject | undefined, errors: FieldErrors): void {
  const [devices, devicesAt] = [objectIn(allocation, 'devices'), at.child('allocation', 'devices')];
  const validateReference = requestReference(objectIn(spec, 'devices'));
  validateList(objectsIn(devices, 'results'), maxRequests, devicesAt.child('results'), errors, (result, itemAt) => {
    validateReference(textIn(result, 'request'), itemAt.child('request'), errors);
    validateDevice(result, itemAt, errors);
    validateBindingConditions(result, itemAt, errors);
  });
  const configAt = devicesAt.child('config');
  validateList(objectsIn(devices, 'config'), 2 * maxConfigurations, configAt, errors, (config, itemAt) => {
    const source = textIn(config, 'source');
    if (source === '') errors.required(itemAt.child('source'));
    else if (!sources.includes(source)) errors.notSupported(itemAt.child('source'), source, sources);
    validateReferences(config, validateReference, itemAt, errors);
    validateDeviceConfiguration(config, itemAt, errors);
  });
  const selector = objectIn(allocation, 'nodeSelector');
  if (selector) validateNodeSelector(selector, at.child('allocation', 'nodeSelector'), errors);
}
