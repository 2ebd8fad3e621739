import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { JsonObject } from '@tsukube/machinery';
import { type ApiAccess, applyObject, deleteObject } from '../access/api-access.ts';

/** The Service that leads to this program. */
export interface WebhookService {
  readonly namespace: string;
  readonly name: string;
  /** 443 by default. */
  readonly port?: number;
  /**
   * Creates the Service, without a selector, and an EndpointSlice with the address of this process. Without it, the Service must
   * exist, usually in front of a Deployment.
   */
  readonly create?: boolean;
  /** Address for the EndpointSlice; by default the first one of this machine that is not a loopback address. */
  readonly address?: string;
}

const portName = 'https';

/** Applies the Service and an EndpointSlice for this process; each replica has a slice of its own. */
export async function applyService(access: ApiAccess, service: WebhookService, port: number, manager: string): Promise<void> {
  await applyObject(access, pathOf('/api/v1', service, 'services', service.name), serviceObject(service, port), manager);
  const slice = endpointSlice(service, port);
  await applyObject(access, slicePath(service), slice, manager);
}

/** Takes this process out of the Service. */
export function removeEndpoint(access: ApiAccess, service: WebhookService): Promise<void> {
  return deleteObject(access, slicePath(service));
}

export function removeService(access: ApiAccess, service: WebhookService): Promise<void> {
  return deleteObject(access, pathOf('/api/v1', service, 'services', service.name));
}

function serviceObject({ namespace, name, port: exposed = 443 }: WebhookService, port: number): JsonObject {
  const ports = [{ name: portName, port: exposed, targetPort: port, protocol: 'TCP' }];
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } };
}

function endpointSlice(service: WebhookService, port: number): JsonObject {
  const address = addressOf(service);
  const labels = { 'kubernetes.io/service-name': service.name, 'endpointslice.kubernetes.io/managed-by': 'tsukube-sdk' };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: sliceName(service), namespace: service.namespace, labels },
    addressType: isIPv6(address) ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: portName, port, protocol: 'TCP' }],
  };
}

function slicePath(service: WebhookService): string {
  return pathOf('/apis/discovery.k8s.io/v1', service, 'endpointslices', sliceName(service));
}

function sliceName(service: WebhookService): string {
  return `${service.name}-${addressOf(service)
    .replace(/[^0-9a-f]+/g, '-')
    .replace(/-$/, '-0')}`;
}

function pathOf(api: string, { namespace }: WebhookService, resource: string, name: string): string {
  return `${api}/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`;
}

function addressOf({ address }: WebhookService): string {
  const found = address ?? externalAddress();
  if (found === undefined) throw new Error('this machine has no address other than loopback: set service.address');
  return found;
}

/** IPv4 first. Kubernetes refuses loopback and link-local addresses in EndpointSlices. */
function externalAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const usable = all.filter(({ internal, address }) => !internal && !/^(169\.254\.|fe80:)/i.test(address));
  return (usable.find(({ family }) => family === 'IPv4') ?? usable[0])?.address;
}
