import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type JsonObject, metadataOf, objectsIn } from '@tsukube/machinery';
import { type ApiAccess, applyObject, deleteIfExists, expectSuccess } from '../access/api-access.ts';

/** A Service without a selector that leads to this process. */
export interface OwnService {
  readonly namespace: string;
  readonly name: string;
  /** 443 by default. */
  readonly port?: number;
  /** Address for the EndpointSlice; by default the first one of this machine that is not a loopback address. */
  readonly address?: string;
  /** DNS name instead of an address, such as `localhost`: the Service has the type ExternalName. */
  readonly host?: string;
}

const portName = 'https';
const renewTime = 'sdk.tsukube/renew-time';

/**
 * Applies the Service, and unless it has a host an EndpointSlice for this process; each replica has a slice of its own. Its
 * renew time shows other replicas that this one is alive.
 */
export async function applyService(
  access: ApiAccess,
  service: OwnService,
  port: number,
  manager: string,
  renewedAt?: Date,
): Promise<void> {
  await applyObject(access, pathOf('/api/v1', service, 'services', service.name), serviceObject(service, port), manager);
  if (service.host !== undefined) return;
  await applyObject(access, slicePath(service, port), endpointSlice(service, port, renewedAt), manager);
}

/** Takes this process out of the Service. */
export async function removeEndpoint(access: ApiAccess, service: OwnService, port: number): Promise<void> {
  if (service.host === undefined) await deleteIfExists(access, slicePath(service, port));
}

export function removeService(access: ApiAccess, service: OwnService): Promise<void> {
  return deleteIfExists(access, pathOf('/api/v1', service, 'services', service.name));
}

/** The port by which the API server reaches the Service. A Service of type ExternalName does not map ports. */
export function servicePort({ host, port = 443 }: OwnService, listening: number): number {
  return host === undefined ? port : listening;
}

/** The same for all replicas: the target port is the one with its name in their slices. */
function serviceObject(service: OwnService, port: number): JsonObject {
  const { namespace, name, host } = service;
  const ports = [{ name: portName, port: servicePort(service, port), targetPort: portName, protocol: 'TCP' }];
  const spec: JsonObject = host === undefined ? { ports } : { type: 'ExternalName', externalName: host, ports };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec };
}

function endpointSlice(service: OwnService, port: number, renewedAt: Date | undefined): JsonObject {
  const address = addressOf(service);
  const metadata = {
    name: sliceName(service, port),
    namespace: service.namespace,
    labels: { 'kubernetes.io/service-name': service.name, 'endpointslice.kubernetes.io/managed-by': 'tsukube-sdk' },
    ...(renewedAt && { annotations: { [renewTime]: renewedAt.toISOString() } }),
  };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata,
    addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: portName, port, protocol: 'TCP' }],
  };
}

/** Labels of the EndpointSlices of all replicas. */
export function sliceSelector({ name }: OwnService): string {
  return `kubernetes.io/service-name=${name},endpointslice.kubernetes.io/managed-by=tsukube-sdk`;
}

function slicePath(service: OwnService, port: number): string {
  return pathOf('/apis/discovery.k8s.io/v1', service, 'endpointslices', sliceName(service, port));
}

/** Replicas on one machine differ in their ports. */
export function sliceName(service: OwnService, port: number): string {
  const address = addressOf(service)
    .replace(/[^0-9a-f]+/g, '-')
    .replace(/-$/, '-0');
  return `${service.name}-${address}-${port}`;
}

function pathOf(api: string, { namespace }: OwnService, resource: string, name: string): string {
  return `${api}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
}

function addressOf({ address }: OwnService): string {
  const found = address ?? externalAddress();
  if (found === undefined) throw new Error('this machine has no address other than loopback: set service.address');
  return found;
}

/** IPv4 first. Kubernetes refuses loopback and link-local addresses in EndpointSlices. */
export function externalAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address));
  return (usable.find(({ family }) => family === 'IPv4') ?? usable[0])?.address;
}

interface SeenSlice {
  readonly resourceVersion: string;
  readonly since: number;
}

/**
 * Deletes the EndpointSlices of replicas that were killed: those that did not change for a time, by the clock of this process.
 * A replica that is alive creates its slice again.
 */
export class StaleSlices {
  #seen = new Map<string, SeenSlice>();
  readonly #staleMs: number;

  constructor(staleMs: number) {
    this.#staleMs = staleMs;
  }

  async remove(access: ApiAccess, service: OwnService, own: string, now: number): Promise<void> {
    const collection = `/apis/discovery.k8s.io/v1/namespaces/${encodeURIComponent(service.namespace)}/endpointslices`;
    const path = `${collection}?labelSelector=${encodeURIComponent(sliceSelector(service))}`;
    const { body } = await expectSuccess(access, { method: 'GET', path });
    const seen = new Map<string, SeenSlice>();
    for (const slice of objectsIn(body, 'items')) {
      const { name = '', resourceVersion = '' } = metadataOf(slice);
      if (name === own) continue;
      const before = this.#seen.get(name);
      const since = before?.resourceVersion === resourceVersion ? before.since : now;
      seen.set(name, { resourceVersion, since });
      if (now - since < this.#staleMs) continue;
      const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { resourceVersion } };
      const request = { method: 'DELETE', path: `${collection}/${encodeURIComponent(name)}`, body: options } as const;
      await expectSuccess(access, request, [404, 409]);
    }
    this.#seen = seen;
  }
}
