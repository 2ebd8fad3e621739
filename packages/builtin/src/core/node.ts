import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
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
  warningsForCidr,
} from '@tsukube/machinery';
import { requireOneOf } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { roundResources, validateResourceQuantity } from './container/resource-requirements.ts';

const infoType = 'io.k8s.api.core.v1.NodeSystemInfo';
const statusType = 'io.k8s.api.core.v1.NodeStatus';
const wide = { priority: 1 };

const nodeColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', description: 'The status of the node', value: statusCell },
  { name: 'Roles', type: 'string', description: 'The roles of the node', value: rolesCell },
  ageColumn,
  column('Version', { type: infoType, field: 'kubeletVersion' }, (object) => textIn(infoOf(object), 'kubeletVersion')),
  column('Internal-IP', { type: statusType, field: 'addresses' }, (object) => addressOf(object, 'InternalIP'), wide),
  column('External-IP', { type: statusType, field: 'addresses' }, (object) => addressOf(object, 'ExternalIP'), wide),
  column('OS-Image', { type: infoType, field: 'osImage' }, (object) => known(infoOf(object), 'osImage'), wide),
  column('Kernel-Version', { type: infoType, field: 'kernelVersion' }, kernelCell, wide),
  column(
    'Container-Runtime',
    { type: infoType, field: 'containerRuntimeVersion' },
    (object) => known(infoOf(object), 'containerRuntimeVersion'),
    wide,
  ),
];

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Node'),
  columns: nodeColumns,
  selectableFields: { 'spec.unschedulable': (object) => String(objectIn(object, 'spec')?.unschedulable === true) },
};

/** Without the proxy, which needs a kubelet client: see `nodeProxy`. */
export const node: Resource = {
  names: { plural: 'nodes', singular: 'node', kind: 'Node', listKind: 'NodeList', shortNames: ['no'] },
  scope: 'Cluster',
  storagePrefix: '/registry/minions',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateNodeUpdate, {
      prepareForUpdate(object, old) {
        object.spec = old.spec ?? {};
        const status = objectIn(object, 'status');
        if (objectIn(old, 'status')?.config === undefined) delete status?.config;
      },
    }),
  },
  strategy: {
    applyDefaults: defaultNode,
    prepareForCreate(object) {
      delete objectIn(object, 'spec')?.configSource;
      delete objectIn(object, 'status')?.config;
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
      if (objectIn(old, 'spec')?.configSource === undefined) delete objectIn(object, 'spec')?.configSource;
    },
    warnings: nodeWarnings,
    validateCreate: validateNode,
    validateUpdate(object, old, errors) {
      validateNode(object, errors);
      validateNodeUpdate(object, old, errors);
    },
  },
};

function nodeWarnings(object: KubeObject): readonly string[] {
  const spec = objectIn(object, 'spec');
  const warnings = textsIn(spec, 'podCIDRs').flatMap((cidr, i) => warningsForCidr(cidr, path('spec', 'podCIDRs').index(i)));
  if (textIn(spec, 'externalID') !== '')
    warnings.unshift('spec.externalID: this field is deprecated, and is unused by Kubernetes');
  if (spec?.configSource !== undefined) warnings.unshift('spec.configSource: the feature is removed');
  return warnings;
}

function defaultNode(object: KubeObject): void {
  normalizePodCIDRs(specOf(object));
  const status = objectIn(object, 'status');
  if (status?.capacity !== undefined) status.allocatable ??= { ...objectIn(status, 'capacity') };
  roundResources(objectIn(status, 'capacity'));
  roundResources(objectIn(status, 'allocatable'));
}

/** Keeps podCIDRs in step with podCIDR for clients that only know podCIDR. */
function normalizePodCIDRs(spec: JsonObject): void {
  const first = textIn(spec, 'podCIDR');
  const all = textsIn(spec, 'podCIDRs');
  if (first !== '' && all[0] !== first) spec.podCIDRs = [first];
  else if (first === '' && all[0]) spec.podCIDR = all[0];
}

function infoOf(object: KubeObject): JsonObject | undefined {
  return objectIn(objectIn(object, 'status'), 'nodeInfo');
}

function known(info: JsonObject | undefined, field: string): string {
  return textIn(info, field) || '<unknown>';
}

function statusCell(object: KubeObject): string {
  const ready = objectsIn(objectIn(object, 'status'), 'conditions').findLast(({ type }) => type === 'Ready');
  let status = 'Unknown';
  if (ready) status = ready.status === 'True' ? 'Ready' : 'NotReady';
  return objectIn(object, 'spec')?.unschedulable === true ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = 'node-role.kubernetes.io/';

function rolesCell(object: KubeObject): string {
  const labels = Object.entries(mapIn(object.metadata, 'labels'));
  const roles = labels.map(([key, value]) => {
    if (key.startsWith(rolePrefix)) return key.slice(rolePrefix.length);
    return key === 'kubernetes.io/role' ? value : '';
  });
  return [...new Set(roles.filter((role) => role !== ''))].sort().join(',') || '<none>';
}

function addressOf(object: KubeObject, type: string): string {
  const found = objectsIn(objectIn(object, 'status'), 'addresses').find((address) => address.type === type);
  return found ? textIn(found, 'address') : '<none>';
}

function kernelCell(object: KubeObject): string {
  const info = infoOf(object);
  const architecture = textIn(info, 'architecture');
  return `${known(info, 'kernelVersion')}${architecture === '' ? '' : ` (${architecture})`}`;
}

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
function validateNodeUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
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
