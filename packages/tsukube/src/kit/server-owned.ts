import type { Change, Entry } from '@tsukube/storage';

/** Objects created since the baseline. */
export interface Created {
  hasNamespace(name: string): boolean;
  /** A CRD of the group. */
  hasGroup(group: string): boolean;
}

/**
 * Objects that the server itself creates or updates after its start. They are part of the baseline whenever they appear. Keys are
 * relative to the store's prefix.
 */
export function isServerOwned(key: string, { entry, previous }: Change, created: Created): boolean {
  if (volatile.test(key)) return true;
  const [, group] = apiService.exec(key) ?? [];
  if (node.test(key) && says(entry, simulatedNode)) return previous === undefined || isStatusUpdate(previous, entry);
  if (flowSchema.test(key) && previous !== undefined) return isStatusUpdate(previous, entry);
  if (previous !== undefined) return false;
  if (group !== undefined) return says(entry, 'kube-aggregator.kubernetes.io/automanaged') && !created.hasGroup(group);
  if (address.test(key)) return says(entry, '"name":"kubernetes"');
  const [, ofAccount, ofConfigMap] = inEveryNamespace.exec(key) ?? [];
  const namespace = ofAccount ?? ofConfigMap;
  return namespace !== undefined ? !created.hasNamespace(namespace) : singletons.has(key);
}

/** Renewed continuously; older values would be wrong. */
const volatile = /^(leases\/kube-system\/apiserver-|leases\/kube-node-lease\/|masterleases\/)/;
/** Nodes of `--simulate-nodes`. */
const node = /^minions\//;
const simulatedNode = '"simulation.tsukube.dev/node":"true"';

const singletons: ReadonlySet<string> = new Set([
  'services/specs/default/kubernetes',
  'services/endpoints/default/kubernetes',
  'endpointslices/default/kubernetes',
  'servicecidrs/kubernetes',
  'ranges/servicenodeports',
  'configmaps/kube-system/extension-apiserver-authentication',
  'configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
]);

/** Objects that a controller maintains in every namespace. */
const inEveryNamespace = /^(?:serviceaccounts\/([^/]+)\/default|configmaps\/([^/]+)\/kube-root-ca\.crt)$/;

/** VERSION.GROUP */
const apiService = /^apiregistration\.k8s\.io\/apiservices\/[^/.]+\.(.*)$/;
const flowSchema = /^flowschemas\//;
const address = /^ipaddresses\//;

function says({ value }: Entry, text: string): boolean {
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength).includes(text);
}

function isStatusUpdate(previous: Entry, entry: Entry): boolean {
  return specOf(previous) === specOf(entry);
}

function specOf({ value }: Entry): string {
  const { metadata = {}, spec } = JSON.parse(Buffer.from(value).toString());
  return JSON.stringify([metadata.labels, metadata.annotations, spec]);
}
