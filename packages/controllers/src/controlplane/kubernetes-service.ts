import { isIPv6 } from 'node:net';
import { deepEqual, formatAddress, type JsonObject, mapIn, objectIn } from '@tsukube/machinery';
import { isShared } from '../controller.ts';
import { type ControlPlaneContext, registryIn, type StartedHook } from './context.ts';
import { manageObject } from './managed-object.ts';
import { MasterLeases, type PeerServer } from './master-leases.ts';

const service = { namespace: 'default', name: 'kubernetes' };

/** The Service default/kubernetes, by which pods reach the API servers, and its endpoints. */
export function kubernetesService(context: ControlPlaneContext): StartedHook {
  const registry = registryIn(context, '', 'services');
  const { nodePort, endpoints: managesEndpoints } = context.kubernetesService;
  const type = nodePort === 0 ? 'ClusterIP' : 'NodePort';
  const port = {
    name: 'https',
    protocol: 'TCP',
    port: 443,
    targetPort: context.identity.port,
    ...(nodePort === 0 ? {} : { nodePort }),
  };
  // The defaults of the API, since this object is not decoded from a request.
  const external: JsonObject = nodePort === 0 ? {} : { externalTrafficPolicy: 'Cluster' };
  const [range] = context.serviceRanges.clusterIPs;
  if (!range) throw new Error('no Service CIDR is configured');
  const created: JsonObject = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { ...service, labels: { provider: 'kubernetes', component: 'apiserver' } },
    spec: {
      type,
      ports: [port],
      clusterIP: formatAddress({ family: range.family, value: range.base + 1n }),
      sessionAffinity: 'None',
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
      ...external,
    },
  };
  // As by kube-apiserver, the port is set at the start only: several servers may have different ones, and would go on to replace it.
  let isPublished = false;
  const desired = (existing: JsonObject | undefined) => {
    if (existing) return isPublished ? existing : withPort(existing, { type, ports: [port], ...external });
    return created;
  };
  const onSettled = () => {
    isPublished = isShared(context);
  };
  const endpoints: StartedHook = managesEndpoints ? manageEndpoints(context, service) : { stop() {} };
  const manager = manageObject({ registry, ...service, desired, onSettled }, context);
  return {
    withdraw: async () => endpoints.withdraw?.(),
    stop() {
      manager.stop();
      endpoints.stop();
    },
  };
}

/** The server owns type and ports; other fields of an existing Service stay. */
function withPort(existing: JsonObject, desired: JsonObject): JsonObject {
  const { externalTrafficPolicy: _, ...spec } = objectIn(existing, 'spec') ?? {};
  if (spec.type === desired.type && deepEqual(spec.ports, desired.ports)) return existing;
  return { ...existing, spec: { ...spec, ...desired } };
}

const renewMs = 10_000;

/** Endpoints and EndpointSlice of the Service: the addresses of all live servers. */
function manageEndpoints(
  context: ControlPlaneContext,
  service: { readonly namespace: string; readonly name: string },
): StartedHook {
  const { address, port } = context.identity;
  // A server on a loopback address is not reachable from pods.
  if (address === undefined) return { stop() {} };
  const self = { address, port };
  let peers: readonly PeerServer[] = [self];
  const endpoints = registryIn(context, '', 'endpoints');
  const slices = registryIn(context, 'discovery.k8s.io', 'endpointslices');
  const root = endpoints.resource.storagePrefix.slice(0, -'/services/endpoints'.length);
  const leases = isShared(context) ? new MasterLeases(context.store, root) : undefined;
  const refresh = async () => {
    const found = (await leases?.peers()) ?? [];
    // Like kube-apiserver, never publishes an empty list.
    if (found.length > 0) peers = found;
  };
  const common = { ...service, refresh };
  const managed = [
    manageObject({ registry: endpoints, ...common, desired: (existing) => endpointsOf(existing, service, peers, port) }, context),
    manageObject({ registry: slices, ...common, desired: (existing) => sliceOf(existing, service, peers, port) }, context),
  ];
  const lease =
    leases &&
    masterLease(leases, self, context, () => {
      for (const manager of managed) manager.resync();
    });
  return {
    async withdraw() {
      await lease?.remove();
      await Promise.all(managed.map((manager) => manager.settle()));
    },
    stop() {
      lease?.remove().catch(() => {});
      for (const manager of managed) manager.stop();
    },
  };
}

/** Keeps the lease of this server. */
function masterLease(
  leases: MasterLeases,
  self: Required<PeerServer>,
  { logger }: ControlPlaneContext,
  onRenewed: () => void,
): { remove(): Promise<void> } {
  let renewal = Promise.resolve();
  const renew = () => {
    renewal = leases
      .renew(self)
      .then(onRenewed)
      .catch((error: unknown) => logger.warn('the master lease of this server could not be renewed', { error: String(error) }));
  };
  renew();
  const timer = setInterval(renew, renewMs).unref();
  let removal: Promise<void> | undefined;
  return {
    remove() {
      clearInterval(timer);
      // A renewal in progress would create the lease again.
      removal ??= renewal.then(() => leases.remove(self));
      return removal;
    },
  };
}

/** Groups addresses by port: the addresses of a subset share their ports. A peer without a port has ours. */
function byPort(peers: readonly PeerServer[], ownPort: number): [number, string[]][] {
  const groups = new Map<number, Set<string>>();
  for (const { address, port = ownPort } of peers) groups.set(port, (groups.get(port) ?? new Set()).add(address));
  return [...groups].sort(([a], [b]) => a - b).map(([port, addresses]) => [port, [...addresses].sort()]);
}

const https = (port: number) => ({ name: 'https', port, protocol: 'TCP' });

function endpointsOf(
  existing: JsonObject | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  peers: readonly PeerServer[],
  ownPort: number,
): JsonObject {
  const metadata = objectIn(existing, 'metadata') ?? { name, namespace };
  const labels = { ...mapIn(metadata, 'labels'), 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const subsets = byPort(peers, ownPort).map(([port, addresses]) => ({
    addresses: addresses.map((ip) => ({ ip })),
    ports: [https(port)],
  }));
  return { ...(existing ?? { kind: 'Endpoints', apiVersion: 'v1' }), metadata: { ...metadata, labels }, subsets };
}

/** A slice has one set of ports: like kube-apiserver, only the peers with the lowest port. */
function sliceOf(
  existing: JsonObject | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  peers: readonly PeerServer[],
  ownPort: number,
): JsonObject {
  const metadata = objectIn(existing, 'metadata') ?? { name, namespace };
  const labels = { ...mapIn(metadata, 'labels'), 'kubernetes.io/service-name': name };
  const [[port, addresses]] = byPort(peers, ownPort) as [[number, string[]]];
  const addressType = addresses.every((address) => isIPv6(address)) ? 'IPv6' : 'IPv4';
  return {
    ...(existing ?? { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1' }),
    metadata: { ...metadata, labels },
    addressType: existing?.addressType ?? addressType,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [https(port)],
  };
}
