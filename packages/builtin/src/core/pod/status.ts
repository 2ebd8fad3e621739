import {
  byName,
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  listIn,
  nameIsDNSSubdomain,
  numberIn,
  objectIn,
  objectsIn,
  parseAddress,
  path,
  textIn,
  validateImmutableField,
  validateLegacyIP,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';
import { specOf, statusOf } from '../../common/objects.ts';
import {
  dropGatedStatus,
  validateAllocatedResources,
  validateClaimStatuses,
  validateContainerUsers,
  validateExtendedClaim,
} from './status-devices.ts';
import { validateAnnotationUpdate } from './validation.ts';

/** Restores everything but the status. */
export function preparePodStatus(pod: KubeObject, old: KubeObject): void {
  const metadata = pod.metadata;
  const oldMetadata = old.metadata;
  pod.spec = specOf(old);
  delete metadata.deletionTimestamp;
  if (oldMetadata.ownerReferences === undefined) delete metadata.ownerReferences;
  else metadata.ownerReferences = oldMetadata.ownerReferences;
  const status = statusOf(pod);
  const oldStatus = statusOf(old);
  pod.status = status;
  if (!status.qosClass && oldStatus.qosClass) status.qosClass = oldStatus.qosClass;
  if (!status.observedGeneration && oldStatus.observedGeneration) status.observedGeneration = oldStatus.observedGeneration;
  keepObservedGenerations(status, oldStatus);
  dropGatedStatus(status);
}

/** Clients that do not know observedGeneration of conditions would drop it. */
function keepObservedGenerations(status: JsonObject, oldStatus: JsonObject): void {
  const known = new Map<JsonValue | undefined, JsonObject[]>();
  for (const condition of objectsIn(oldStatus, 'conditions').toReversed()) {
    const same = known.get(condition.type);
    if (same) same.push(condition);
    else known.set(condition.type, [condition]);
  }
  for (const condition of objectsIn(status, 'conditions')) {
    const before = known.get(condition.type)?.pop();
    if (!condition.observedGeneration && before?.observedGeneration) condition.observedGeneration = before.observedGeneration;
  }
}

const statusPath = path('status');

export function validatePodStatusUpdate(pod: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(pod);
  const oldStatus = statusOf(old);
  const oldSpec = specOf(old);
  validateAnnotationUpdate(pod, old, errors);
  validateConditions(status, errors);
  validateNominatedNode(status, oldStatus, oldSpec, errors);
  if (numberIn(status, 'observedGeneration') < 0)
    errors.invalid(statusPath.child('observedGeneration'), status.observedGeneration, 'must be a non-negative integer');
  validateImmutableField(status.qosClass, oldStatus.qosClass, statusPath.child('qosClass'), errors);
  for (const [list, containers] of restartable) validateTransitions(status, oldStatus, list, containers, oldSpec, errors);
  validateClaimStatuses(status, oldSpec, errors);
  validateExtendedClaim(status, oldSpec, errors);
  validateAddresses(status, oldStatus, 'podIPs', errors);
  const [hostAddress] = objectsIn(status, 'hostIPs');
  if (hostAddress && textIn(hostAddress, 'ip') !== textIn(status, 'hostIP'))
    errors.invalid(statusPath.child('hostIPs').index(0).child('ip'), hostAddress.ip, 'must be equal to `hostIP`');
  validateAddresses(status, oldStatus, 'hostIPs', errors);
  validateContainerUsers(status, oldSpec, errors);
  validateAllocatedResources(status, oldSpec, errors);
}

const systemConditions = new Set(['PodScheduled', 'Ready', 'Initialized']);

function validateConditions(status: JsonObject, errors: FieldErrors): void {
  for (const [i, condition] of objectsIn(status, 'conditions').entries()) {
    const at = statusPath.child('conditions').index(i);
    if (numberIn(condition, 'observedGeneration') < 0)
      errors.invalid(at.child('observedGeneration'), condition.observedGeneration, 'must be a non-negative integer');
    const type = textIn(condition, 'type');
    if (!systemConditions.has(type)) report(isQualifiedName(type), at.child('Type'), type, errors);
  }
}

function validateNominatedNode(status: JsonObject, oldStatus: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  const name = textIn(status, 'nominatedNodeName');
  if (name === '' || name === textIn(oldStatus, 'nominatedNodeName')) return;
  const at = statusPath.child('nominatedNodeName');
  report(nameIsDNSSubdomain(name, false), at, name, errors);
  if (textIn(oldSpec, 'nodeName') !== '') errors.forbidden(at, 'may not be set on pods that are already bound to a node');
}

const restartable = [
  ['containerStatuses', 'containers'],
  ['initContainerStatuses', 'initContainers'],
  ['ephemeralContainerStatuses', ''],
] as const;

/** A terminated container must not become running or waiting again unless its restart policy allows it. */
function validateTransitions(
  status: JsonObject,
  oldStatus: JsonObject,
  list: string,
  containers: string,
  spec: JsonObject,
  errors: FieldErrors,
): void {
  if (containers !== '' && restartsAll(spec)) return;
  const statuses = byName(objectsIn(status, list));
  const declared = byName(objectsIn(spec, containers));
  for (const [i, old] of objectsIn(oldStatus, list).entries()) {
    const ended = objectIn(objectIn(old, 'state'), 'terminated');
    const now = statuses.get(old.name);
    if (!ended || !now || objectIn(objectIn(now, 'state'), 'terminated')) continue;
    const container = declared.get(old.name);
    if (container && mayRestart(container, spec, numberIn(ended, 'exitCode'))) continue;
    errors.forbidden(statusPath.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state');
  }
}

function restartsAll(spec: JsonObject): boolean {
  const all = [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')];
  return all.some((container) =>
    objectsIn(container, 'restartPolicyRules').some(({ action }) => action === 'RestartAllContainers'),
  );
}

function mayRestart(container: JsonObject, spec: JsonObject, exitCode: number): boolean {
  for (const rule of objectsIn(container, 'restartPolicyRules')) {
    const codes = objectIn(rule, 'exitCodes');
    const listed = listIn(codes, 'values').includes(exitCode);
    if (codes && listed === (codes.operator === 'In')) return rule.action === 'Restart';
  }
  const policy = textIn(container, 'restartPolicy') || textIn(spec, 'restartPolicy');
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}

function validateAddresses(status: JsonObject, oldStatus: JsonObject, list: string, errors: FieldErrors): void {
  const before = new Set(objectsIn(oldStatus, list).map((entry) => textIn(entry, 'ip')));
  const addresses = objectsIn(status, list).map((entry) => textIn(entry, 'ip'));
  const at = statusPath.child(list);
  for (const [i, address] of addresses.entries()) validateLegacyIP(address, at.index(i), errors, before);
  validateFamilies(addresses, at, errors);
}

const maxAddresses = 2;

/** At most one address per IP family. */
function validateFamilies(addresses: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (addresses.length <= 1) return;
  const wrong = addresses.findIndex((address) => parseAddress(address) === undefined);
  if (wrong >= 0) errors.internal(at, `failed to check for dual stack with error:invalid IP[${wrong}]: ${addresses[wrong]}`);
  const families = new Set(addresses.map((address) => address.includes(':')));
  if (families.size < 2 || addresses.length > maxAddresses)
    errors.invalid(
      at,
      addresses.map((address) => ({ IP: address })),
      'may specify no more than one IP for each IP family',
    );
}
