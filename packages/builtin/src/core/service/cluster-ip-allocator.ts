import { asServer, decodeObject, deleteObject, type ObjectRegistry, pauseAfterConflict } from '@tsukube/apiserver';
import {
  type Cidr,
  formatAddress,
  type JsonObject,
  type KubeObject,
  objectIn,
  objectsIn,
  parseAddress,
  parseCidr,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { clusterIPRange, pickFree, type ServiceRanges } from './service-ranges.ts';

/** The service that an IP is allocated to. */
export interface ServiceRef {
  readonly namespace: string;
  readonly name: string;
}

interface AllocatedIP {
  readonly ip: string;
  readonly service: ServiceRef;
  /** In milliseconds since the epoch. */
  readonly created: number;
}

/**
 * Allocates cluster IPs from the ready ServiceCIDRs. Creating an IPAddress object is the allocation, so servers that share
 * a store never allocate the same IP.
 */
export class ClusterIPAllocator {
  readonly #addresses: ObjectRegistry;
  readonly #cidrs: ObjectRegistry;
  readonly #ranges: ServiceRanges;

  constructor({ services: { registryNamed } }: ObjectRegistry, ranges: ServiceRanges) {
    const [addresses, cidrs] = ['ipaddresses', 'servicecidrs'].map((name) => registryNamed?.('networking.k8s.io', name));
    if (!addresses || !cidrs) throw new Error('the service allocator needs the registries of IPAddresses and ServiceCIDRs');
    this.#addresses = addresses;
    this.#cidrs = cidrs;
    this.#ranges = ranges;
  }

  /** Allocates a requested IP. Returns the reason if that fails. */
  async allocate(ip: string, service: ServiceRef, dryRun: boolean): Promise<string | undefined> {
    const address = parseAddress(ip);
    if (!address) return wrongNetwork;
    const { value, family } = address;
    const fits = (cidr: Cidr) => {
      const { first, last } = clusterIPRange(cidr);
      return cidr.family === family && value >= first && value <= last;
    };
    if (!(await this.#ready()).some(fits)) return wrongNetwork;
    const name = formatAddress(address);
    const taken = dryRun ? (await this.#find(name)) !== undefined : !(await this.#create(name, family, service));
    return taken ? 'provided IP is already allocated' : undefined;
  }

  /** Allocates any free IP; undefined if the ranges are full. A dry run gets the network address, which is never allocated. */
  async allocateNext(family: string, service: ServiceRef, dryRun: boolean, random: () => number): Promise<string | undefined> {
    await this.#addresses.cache.fresh();
    for (const cidr of (await this.#ready()).filter((range) => range.family === family)) {
      if (dryRun) return formatAddress({ family: cidr.family, value: cidr.base });
      const ip = await this.#nextOf(cidr, service, random);
      if (ip !== undefined) return ip;
    }
    return undefined;
  }

  async #nextOf(cidr: Cidr, service: ServiceRef, random: () => number): Promise<string | undefined> {
    const { family } = cidr;
    const lost = new Set<bigint>();
    const isTaken = (value: bigint) =>
      lost.has(value) || this.#addresses.cache.peek(this.#keyOf(formatAddress({ family, value }))) !== undefined;
    for (let attempt = 1; ; attempt++) {
      const value = pickFree(clusterIPRange(cidr), isTaken, random);
      if (value === undefined) return undefined;
      const ip = formatAddress({ family, value });
      if (await this.#create(ip, family, service)) return ip;
      lost.add(value);
      if (!(await pauseAfterConflict(attempt, random)))
        throw StatusError.serverTimeout({ group: 'networking.k8s.io', resource: 'ipaddresses' }, 'create', 0);
    }
  }

  /** Releases an IP; does nothing if it is free or belongs to another service by now. */
  async release(ip: string, service: ServiceRef): Promise<void> {
    const address = parseAddress(ip);
    const name = address && formatAddress(address);
    const found = name && (await this.#find(name));
    if (!found || !belongsTo(found, service)) return;
    try {
      await deleteObject(this.#addresses, name, {}, asServer(this.#addresses));
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }

  /** Allocates an IP that a stored service uses, even outside of the current ranges. False if it belongs to another service. */
  async adopt(ip: string, service: ServiceRef): Promise<boolean> {
    const address = parseAddress(ip);
    if (!address) return false;
    const name = formatAddress(address);
    // The owner of a corrupt IPAddress is unknown: leave it.
    if ((await this.#addresses.cache.get(this.#keyOf(name)))?.corrupt) return true;
    const found = await this.#find(name);
    return found ? belongsTo(found, service) : this.#create(name, address.family, service);
  }

  /** All IPs allocated to services. */
  async allocated(): Promise<readonly AllocatedIP[]> {
    await this.#addresses.cache.fresh();
    return this.#addresses.cache.slice(this.#addresses.cache.prefix).flatMap((entry) => {
      if (entry.corrupt) return [];
      const object = decodeObject(entry.value);
      const { metadata } = object;
      const service = serviceOf(object);
      if (!service || metadata.labels?.[managedBy] !== allocator) return [];
      return [{ ip: metadata.name ?? '', service, created: Date.parse(metadata.creationTimestamp ?? '') }];
    });
  }

  /** The ready ServiceCIDRs; the configured ranges before the first ServiceCIDR exists. */
  async #ready(): Promise<readonly Cidr[]> {
    await this.#cidrs.cache.fresh();
    const all = this.#cidrs.cache.slice(this.#cidrs.cache.prefix).map(({ value }) => decodeObject(value));
    if (all.length === 0) return this.#ranges.clusterIPs;
    const cidrs = all.filter(isReady).flatMap((object) => textsIn(objectIn(object, 'spec'), 'cidrs'));
    return cidrs.flatMap((cidr) => parseCidr(cidr) ?? []);
  }

  async #find(name: string): Promise<JsonObject | undefined> {
    const entry = await this.#addresses.cache.get(this.#keyOf(name));
    return entry && decodeObject(entry.value);
  }

  #keyOf(name: string): string {
    return `${this.#addresses.resource.storagePrefix}/${name}`;
  }

  async #create(name: string, family: string, service: ServiceRef): Promise<boolean> {
    const object = {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name, labels: { [familyLabel]: family, [managedBy]: allocator } },
      spec: { parentRef: { resource: 'services', namespace: service.namespace, name: service.name } },
    };
    try {
      await this.#addresses.create(object, asServer(this.#addresses));
      return true;
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'AlreadyExists') return false;
      throw error;
    }
  }
}

const wrongNetwork = 'the provided network does not match the current range';
const familyLabel = 'ipaddress.kubernetes.io/ip-family';
const managedBy = 'ipaddress.kubernetes.io/managed-by';
const allocator = 'ipallocator.k8s.io';

function isReady(cidr: KubeObject): boolean {
  if (cidr.metadata.deletionTimestamp !== undefined) return false;
  return objectsIn(objectIn(cidr, 'status'), 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');
}

function serviceOf(address: JsonObject): ServiceRef | undefined {
  const parent = objectIn(objectIn(address, 'spec'), 'parentRef');
  if (textIn(parent, 'group') !== '' || textIn(parent, 'resource') !== 'services') return undefined;
  return { namespace: textIn(parent, 'namespace'), name: textIn(parent, 'name') };
}

function belongsTo(address: JsonObject, { namespace, name }: ServiceRef): boolean {
  const service = serviceOf(address);
  return service?.namespace === namespace && service.name === name;
}
