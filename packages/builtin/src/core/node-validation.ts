import {
  type FieldErrors,
  type FieldPath,
  isValidLabelValue,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  parseCidr,
  path,
  textIn,
  textsIn,
  validateLabelName,
  validateLegacyCidr,
} from '@tsukube/machinery';
import { requireOneOf } from '../common/field-validation.ts';
import { specOf } from '../common/spec.ts';
import { validateResourceQuantity } from './container/resource-requirements.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
// Taints are in the spec, but kube-apiserver reports this path.
const taintsPath = path('metadata', 'taints');

export function validateNode(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateTaints(objectsIn(spec, 'taints'), errors);
  validateNodeResources(object, errors);
  validateSwap(object, errors);
  validateFeatures(object, errors);
  validatePodCidrs(textsIn(spec, 'podCIDRs'), errors);
}

/** Validates the immutable fields and the status. */
export function validateNodeUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = specOf(old);
  validateNodeResources(object, errors);
  validateFeatures(object, errors);
  validateAddresses(object, errors);
  validatePodCIDRsUnchanged(textsIn(spec, 'podCIDRs'), textsIn(oldSpec, 'podCIDRs'), errors);
  const provider = textIn(oldSpec, 'providerID');
  if (provider !== '' && provider !== textIn(spec, 'providerID'))
    errors.forbidden(path('spec', 'providerID'), 'node updates may not change providerID except from "" to valid');
  validateTaints(objectsIn(spec, 'taints'), errors);
  if (textIn(spec, 'externalID') !== textIn(oldSpec, 'externalID'))
    errors.forbidden(path('spec', 'externalID'), 'may not be updated');
}

function validateTaints(taints: readonly JsonObject[], errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, taint] of taints.entries()) {
    const at = taintsPath.index(i);
    validateLabelName(textIn(taint, 'key'), at.child('key'), errors);
    const problems = isValidLabelValue(textIn(taint, 'value'));
    if (problems.length > 0) errors.invalid(at.child('value'), textIn(taint, 'value'), problems.join(';'));
    requireOneOf(textIn(taint, 'effect'), effects, at.child('effect'), errors);
    const key = `${textIn(taint, 'effect')}/${textIn(taint, 'key')}`;
    if (seen.has(key)) errors.duplicate(at, internalTaint(taint), 'taints must be unique by key and effect pair');
    seen.add(key);
  }
}

function internalTaint({ key = '', value = '', effect = '', timeAdded = null }: JsonObject): JsonObject {
  return { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
}

function validateNodeResources(object: KubeObject, errors: FieldErrors): void {
  for (const field of ['capacity', 'allocatable']) {
    for (const [name, amount] of Object.entries(mapIn(objectIn(object, 'status'), field)))
      validateResourceQuantity(name, amount, path('status', field, name), errors);
  }
}

function validateSwap(object: KubeObject, errors: FieldErrors): void {
  const swap = objectIn(objectIn(objectIn(object, 'status'), 'nodeInfo'), 'swap');
  if (swap?.capacity !== undefined && numberIn(swap, 'capacity') <= 0)
    errors.invalid(path('metadata', 'nodeSwapStatus', 'capacity'), swap.capacity, 'must be greater than zero');
}

const featurePattern = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z0-9]+)*$/;

function validateFeatures(object: KubeObject, errors: FieldErrors): void {
  const features = textsIn(objectIn(object, 'status'), 'declaredFeatures');
  for (const [i, feature] of features.entries()) {
    const at = path('status', 'declaredFeatures');
    const problem = featureProblem(feature);
    if (problem) errors.invalid(at.index(i), feature, `invalid feature name ${JSON.stringify(feature)}: ${problem}`);
    validateFeatureOrder(feature, features[i + 1], at.index(i + 1), errors);
  }
}

function featureProblem(feature: string): string | undefined {
  if (feature.length > 253) return 'must be no more than 253 characters';
  if (featurePattern.test(feature)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function validateFeatureOrder(feature: string, next: string | undefined, at: FieldPath, errors: FieldErrors): void {
  if (next === undefined) return;
  if (feature === next) errors.duplicate(at, next);
  else if (feature > next) errors.invalid(at, next, 'list must be sorted alphabetically');
}

function validateAddresses(object: KubeObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, address] of objectsIn(objectIn(object, 'status'), 'addresses').entries()) {
    const shownAddress = { Type: textIn(address, 'type'), Address: textIn(address, 'address') };
    const key = JSON.stringify(shownAddress);
    if (seen.has(key)) errors.duplicate(path('status', 'addresses').index(i), shownAddress);
    seen.add(key);
  }
}

const cidrsPath = path('spec', 'podCIDRs');

function validatePodCidrs(cidrs: readonly string[], errors: FieldErrors): void {
  for (const [i, cidr] of cidrs.entries()) validateLegacyCidr(cidr, cidrsPath.index(i), errors);
  if (cidrs.length < 2) return;
  const wrong = cidrs.find((cidr) => !parseCidr(cidr));
  if (wrong !== undefined)
    errors.internal(
      cidrsPath,
      `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${cidrs.indexOf(wrong)}]: <nil> (invalid CIDR address: ${wrong})`,
    );
  const families = new Set(cidrs.map((cidr) => parseCidr(cidr)?.family));
  if (wrong !== undefined || families.size < 2 || cidrs.length > 2)
    errors.invalid(cidrsPath, [...cidrs], 'may specify no more than one CIDR for each IP family');
}

function validatePodCIDRsUnchanged(cidrs: readonly string[], before: readonly string[], errors: FieldErrors): void {
  const changed = 'node updates may not change podCIDR except from "" to valid';
  if (before.length === 0) return;
  if (before.length !== cidrs.length) errors.forbidden(cidrsPath, changed);
  else for (const [i, cidr] of before.entries()) if (cidr !== cidrs[i]) errors.forbidden(cidrsPath, changed);
}
