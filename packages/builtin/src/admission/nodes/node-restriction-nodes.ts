import { type AdmissionAttributes, type Authorizer, forbiddenByAdmission } from '@tsukube/apiserver';
import { deepEqual, goQuote, type JsonObject, mapIn, metadataOf, objectIn, objectsIn, StatusError } from '@tsukube/machinery';
import { internalForm } from '../../common/internal-types.ts';

/** Labels with a Kubernetes prefix that kubelets may set. */
const kubeletLabels = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const kubeletPrefixes = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const restrictedPrefix = 'node-restriction.kubernetes.io';

/** A node may write its own Node object, except labels, taints and fields that would attract pods or grant access. */
export function restrictNode({ node, attributes }: NodeWrite): void {
  const { operation, object, oldObject, name } = attributes;
  const who = `node ${goQuote(node)} is not allowed to`;
  if (name !== node) throw forbiddenByAdmission(attributes, `${who} modify node ${goQuote(name)}`);
  if (operation === 'CREATE' && object) {
    if (configSourceOf(object)) throw forbiddenByAdmission(attributes, `${who} create pods with a non-nil configSource`);
    const labels = forbiddenLabels(object, undefined);
    if (labels.length > 0) throw forbiddenByAdmission(attributes, `${who} set the following labels: ${labels.join(', ')}`);
  }
  if (operation === 'UPDATE' && object && oldObject) {
    const problem = updateProblem(object, oldObject);
    if (problem !== undefined) throw forbiddenByAdmission(attributes, `${who} ${problem}`);
    const labels = forbiddenLabels(object, oldObject);
    if (labels.length > 0) throw forbiddenByAdmission(attributes, `is not allowed to modify labels: ${labels.join(', ')}`);
  }
}

function updateProblem(object: JsonObject, old: JsonObject): string | undefined {
  const source = configSourceOf(object);
  // Old kubelets drop the field in status updates.
  if (source && !isSame([source], [configSourceOf(old) ?? {}], 'NodeConfigSource'))
    return 'update configSource to a new non-nil configSource';
  const taintsOf = (node: JsonObject) => objectsIn(objectIn(node, 'spec'), 'taints');
  if (!isSame(taintsOf(object), taintsOf(old), 'Taint')) return 'modify taints';
  const ownersOf = (node: JsonObject) => objectsIn(metadataOf(node), 'ownerReferences');
  return isSame(ownersOf(object), ownersOf(old), 'OwnerReference') ? undefined : 'modify ownerReferences';
}

function configSourceOf(node: JsonObject): JsonObject | undefined {
  return objectIn(objectIn(node, 'spec'), 'configSource');
}

/** Compares with absent fields equal to their zero values. */
function isSame(some: readonly JsonObject[], others: readonly JsonObject[], type: string): boolean {
  return (
    some.length === others.length &&
    some.every((each, i) => deepEqual(internalForm(each, type), internalForm(others[i] ?? {}, type)))
  );
}

/** The added, removed or changed labels that kubelets may not set, sorted. */
function forbiddenLabels(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const [labels, before] = [mapIn(metadataOf(object), 'labels'), old ? mapIn(metadataOf(old), 'labels') : {}];
  const keys = new Set([...Object.keys(labels), ...Object.keys(before)]);
  return [...keys].filter((key) => labels[key] !== before[key] && isForbidden(key)).sort();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const prefix = slash < 0 ? '' : key.slice(0, slash);
  if (isWithin(prefix, restrictedPrefix)) return true;
  if (!isWithin(prefix, 'kubernetes.io') && !isWithin(prefix, 'k8s.io')) return false;
  return !kubeletLabels.has(key) && !kubeletPrefixes.some((allowed) => isWithin(prefix, allowed));
}

function isWithin(prefix: string, domain: string): boolean {
  return prefix === domain || prefix.endsWith(`.${domain}`);
}

/** A write by a node. */
export interface NodeWrite {
  readonly node: string;
  readonly attributes: AdmissionAttributes;
  readonly cluster: ObjectFinder;
}

export interface ObjectFinder {
  /** The current object. The namespace is empty for cluster-scoped kinds. */
  find(group: string, resource: string, namespace: string, name: string): Promise<JsonObject | undefined>;
  readonly authorizer: Authorizer;
}

/** Rejects with the 404 of a lister, which has the singular resource name. */
export async function mustFind(
  { find }: ObjectFinder,
  group: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<JsonObject> {
  const found = name === '' ? undefined : await find(group, resource, namespace, name);
  if (!found) throw StatusError.notFound({ group, resource: resource.slice(0, -1) }, name);
  return found;
}
