import { isObject, type JsonObject, StatusError } from '@tsukube/machinery';
import { decodeObject } from '../registry/stored-form.ts';
import type { ObjectCache } from '../watchcache/object-cache.ts';

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface NetworkAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves a Service to a network address. Rejects if it has none. */
export type ServiceResolver = (service: ServiceReference) => Promise<NetworkAddress>;

/** The cache of a resource by group and plural name; undefined if it is not served. */
export type CacheLookup = (group: string, resource: string) => ObjectCache | undefined;

/** The addresses of a Service: its ready endpoints, or its only address. Never resolves to an empty list. */
export type ServiceAddresses = (service: ServiceReference) => Promise<readonly NetworkAddress[]>;

/**
 * Picks a ready endpoint of the Service. Without endpoints it uses the ClusterIP, which may be routable only within the cluster
 * network.
 */
export function serviceResolver(cacheOf: CacheLookup, random: () => number = Math.random): ServiceResolver {
  const addressesOf = serviceAddresses(cacheOf);
  return async (reference) => {
    const all = await addressesOf(reference);
    return all[Math.floor(random() * all.length)] as NetworkAddress;
  };
}

/** `throughClusterIp` leaves the choice of an endpoint to the cluster network. */
export function serviceAddresses(cacheOf: CacheLookup, throughClusterIp = false): ServiceAddresses {
  return async (reference) => {
    const service = await serviceNamed(reference, cacheOf);
    const spec = membersOf(service.spec);
    const port = listOf(spec.ports).find((each) => each.port === reference.port);
    if (spec.type === 'ExternalName') return [{ host: String(spec.externalName), port: reference.port }];
    if (!port) throw unavailable(`no service port ${reference.port} found for service "${reference.name}"`);
    const behind = throughClusterIp ? [] : await addressesBehind(reference, String(port.name ?? ''), cacheOf);
    if (behind.length > 0) return behind;
    const { clusterIP } = spec;
    if (typeof clusterIP !== 'string' || clusterIP === '' || clusterIP === 'None')
      throw new Error(`cannot route to service with ClusterIP "${clusterIP ?? ''}"`);
    return [{ host: clusterIP, port: reference.port }];
  };
}

async function serviceNamed({ namespace, name }: ServiceReference, cacheOf: CacheLookup): Promise<JsonObject> {
  const cache = cacheOf('', 'services');
  const entry = cache && (await cache.get(`${cache.prefix}${namespace}/${name}`));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'service' }, name);
  return decodeObject(entry.value);
}

async function addressesBehind(
  reference: ServiceReference,
  portName: string,
  cacheOf: CacheLookup,
): Promise<readonly NetworkAddress[]> {
  const slices = await addressesInSlices(reference, portName, cacheOf('discovery.k8s.io', 'endpointslices'));
  return slices.length > 0 ? slices : addressesInEndpoints(reference, portName, cacheOf('', 'endpoints'));
}

async function addressesInSlices(
  { namespace, name }: ServiceReference,
  portName: string,
  cache: ObjectCache | undefined,
): Promise<readonly NetworkAddress[]> {
  if (!cache) return [];
  await cache.fresh();
  const slices = cache.slice(`${cache.prefix}${namespace}/`).filter(({ value }) => value.includes(name));
  return slices
    .map(({ value }) => decodeObject(value))
    .flatMap((slice) => {
      const labels = membersOf(membersOf(slice.metadata).labels);
      if (labels['kubernetes.io/service-name'] !== name) return [];
      const port = listOf(slice.ports).find((each) => (each.name ?? '') === portName)?.port;
      const ready = listOf(slice.endpoints).filter(({ conditions }) => membersOf(conditions).ready !== false);
      return ready.flatMap(({ addresses }) => reachable(Array.isArray(addresses) ? addresses[0] : undefined, port));
    });
}

async function addressesInEndpoints(
  { namespace, name }: ServiceReference,
  portName: string,
  cache: ObjectCache | undefined,
): Promise<readonly NetworkAddress[]> {
  const entry = cache && (await cache.get(`${cache.prefix}${namespace}/${name}`));
  const subsets = entry ? listOf(decodeObject(entry.value).subsets) : [];
  return subsets.flatMap((subset) => {
    const port = listOf(subset.ports).find((each) => (each.name ?? '') === portName)?.port;
    return listOf(subset.addresses).flatMap(({ ip }) => reachable(ip, port));
  });
}

function reachable(host: unknown, port: unknown): NetworkAddress[] {
  return typeof host === 'string' && typeof port === 'number' ? [{ host, port }] : [];
}

function membersOf(value: JsonObject[string] | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: JsonObject[string] | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}

function unavailable(message: string): StatusError {
  return StatusError.serviceUnavailable(message);
}
