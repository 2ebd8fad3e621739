import { isIPv6 } from 'node:net';
import type { JsonObject } from '@tsukube/machinery';
import type { Controller } from '../controller.ts';
import { type AnnouncementContext, isShared, registryIn } from './announcement.ts';
import { keepObject } from './kept-object.ts';
import { type Member, ServerLeases } from './server-leases.ts';

const renewMs = 10_000;

/** Where a service leads: to every server that is alive. */
export function keepEndpoints(
  context: AnnouncementContext,
  service: { readonly namespace: string; readonly name: string },
): Controller {
  const { address, port } = context.identity;
  // Nobody elsewhere reaches a server that listens to its own host only.
  if (address === undefined) return { stop() {} };
  const self = { address, port };
  let members: readonly Member[] = [self];
  const endpoints = registryIn(context, '', 'endpoints');
  const slices = registryIn(context, 'discovery.k8s.io', 'endpointslices');
  const kept = [
    keepObject({ registry: endpoints, ...service, wanted: (existing) => endpointsOf(existing, service, members, port) }, context),
    keepObject({ registry: slices, ...service, wanted: (existing) => sliceOf(existing, service, members, port) }, context),
  ];
  const root = endpoints.resource.storagePrefix.slice(0, -'/services/endpoints'.length);
  const stopLeases = isShared(context)
    ? keepLease(new ServerLeases(context.store, root), self, context, (found) => {
        members = found;
        for (const keeper of kept) keeper.look();
      })
    : () => {};
  return {
    stop() {
      stopLeases();
      for (const keeper of kept) keeper.stop();
    },
  };
}

function keepLease(
  leases: ServerLeases,
  self: Required<Member>,
  { logger }: AnnouncementContext,
  onMembers: (members: readonly Member[]) => void,
): () => void {
  const turn = async () => {
    await leases.renew(self);
    const members = await leases.members();
    if (members.length > 0) onMembers(members);
  };
  const run = () =>
    void turn().catch((error: unknown) => logger.warn('the lease of this server could not be renewed', { error: String(error) }));
  run();
  const timer = setInterval(run, renewMs).unref();
  return () => {
    clearInterval(timer);
    void leases.remove(self).catch(() => {});
  };
}

/** By port, as all addresses of a subset have the same ones. Those that say none have ours. */
function byPort(members: readonly Member[], ownPort: number): [number, string[]][] {
  const groups = new Map<number, Set<string>>();
  for (const { address, port = ownPort } of members) groups.set(port, (groups.get(port) ?? new Set()).add(address));
  return [...groups].sort(([a], [b]) => a - b).map(([port, addresses]) => [port, [...addresses].sort()]);
}

const https = (port: number) => ({ name: 'https', port, protocol: 'TCP' });

function endpointsOf(
  existing: JsonObject | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  members: readonly Member[],
  ownPort: number,
): JsonObject {
  const metadata = (existing?.metadata ?? { name, namespace }) as JsonObject;
  const labels = { ...(metadata.labels as JsonObject | undefined), 'endpointslice.kubernetes.io/skip-mirror': 'true' };
  const subsets = byPort(members, ownPort).map(([port, addresses]) => ({
    addresses: addresses.map((ip) => ({ ip })),
    ports: [https(port)],
  }));
  return { ...(existing ?? { kind: 'Endpoints', apiVersion: 'v1' }), metadata: { ...metadata, labels }, subsets };
}

/** As Kubernetes has it, of the first port: a slice has one set of ports. */
function sliceOf(
  existing: JsonObject | undefined,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  members: readonly Member[],
  ownPort: number,
): JsonObject {
  const metadata = (existing?.metadata ?? { name, namespace }) as JsonObject;
  const labels = { ...(metadata.labels as JsonObject | undefined), 'kubernetes.io/service-name': name };
  const [[port, addresses]] = byPort(members, ownPort) as [[number, string[]]];
  const addressType = addresses.every((address) => isIPv6(address)) ? 'IPv6' : 'IPv4';
  return {
    ...(existing ?? { kind: 'EndpointSlice', apiVersion: 'discovery.k8s.io/v1' }),
    metadata: { ...metadata, labels },
    addressType: existing?.addressType ?? addressType,
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [https(port)],
  };
}
