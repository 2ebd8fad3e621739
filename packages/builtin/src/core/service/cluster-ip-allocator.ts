import { asServer, decodeObject, deleteObject, type ObjectRegistry } from '@tsukube/apiserver';
import {
  type Cidr,
  formatAddress,
  type JsonObject,
  metadataOf,
  objectIn,
  objectsIn,
  parseAddress,
  parseCidr,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { addressChoice, chooseFree, type ServiceRanges } from './service-ranges.ts';

/** Whose an address is. */
export interface Holder {
  readonly namespace: string;
  readonly name: string;
}

export interface GivenAddress {
  readonly ip: string;
  readonly holder: Holder;
  /** Milliseconds since 1970. */
  readonly created: number;
}

/**
 * The addresses of services. Each is an IPAddress object, and to create it is to take it: so no two servers on one store
 * give the same address. They come from the ServiceCIDRs that are ready.
 */
export class ServiceAddresses {
  readonly #addresses: ObjectRegistry;
  readonly #cidrs: ObjectRegistry;
  readonly #ranges: ServiceRanges;

  constructor({ services: { registryNamed } }: ObjectRegistry, ranges: ServiceRanges) {
    const [addresses, cidrs] = ['ipaddresses', 'servicecidrs'].map((name) => registryNamed?.('networking.k8s.io', name));
    if (!addresses || !cidrs) throw new Error('services need IPAddresses and ServiceCIDRs');
    this.#addresses = addresses;
    this.#cidrs = cidrs;
    this.#ranges = ranges;
  }

  /** What is wrong with taking a certain address. */
  async take(ip: string, holder: Holder, dryRun: boolean): Promise<string | undefined> {
    const address = parseAddress(ip);
    if (!address) return wrongNetwork;
    const { value, family } = address;
    const fits = (cidr: Cidr) => {
      const { first, last } = addressChoice(cidr);
      return cidr.family === family && value >= first && value <= last;
    };
    if (!(await this.#ready()).some(fits)) return wrongNetwork;
    const name = formatAddress(address);
    const taken = dryRun ? (await this.#find(name)) !== undefined : !(await this.#create(name, family, holder));
    return taken ? 'provided IP is already allocated' : undefined;
  }

  /** Undefined if none is left. A dry run gets the address of the network, which nothing ever has. */
  async next(family: string, holder: Holder, dryRun: boolean, random: () => number): Promise<string | undefined> {
    await this.#addresses.cache.fresh();
    for (const cidr of (await this.#ready()).filter((range) => range.family === family)) {
      if (dryRun) return formatAddress({ family: cidr.family, value: cidr.base });
      const ip = await this.#nextOf(cidr, holder, random);
      if (ip !== undefined) return ip;
    }
    return undefined;
  }

  async #nextOf(cidr: Cidr, holder: Holder, random: () => number): Promise<string | undefined> {
    const { family } = cidr;
    const lost = new Set<bigint>();
    const isTaken = (value: bigint) =>
      lost.has(value) || this.#addresses.cache.peek(this.#keyOf(formatAddress({ family, value }))) !== undefined;
    for (;;) {
      const value = chooseFree(addressChoice(cidr), isTaken, random);
      if (value === undefined) return undefined;
      const ip = formatAddress({ family, value });
      if (await this.#create(ip, family, holder)) return ip;
      lost.add(value);
    }
  }

  /** To let go of what somebody else holds by now, or nobody, is no mistake. */
  async release(ip: string, holder: Holder): Promise<void> {
    const address = parseAddress(ip);
    const name = address && formatAddress(address);
    const found = name && (await this.#find(name));
    if (!found || !isHeldBy(found, holder)) return;
    try {
      await deleteObject(this.#addresses, name, {}, asServer(this.#addresses));
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
    }
  }

  /** Takes what a service has anyway, whatever the ranges are now. False if it is somebody else's. */
  async insist(ip: string, holder: Holder): Promise<boolean> {
    const address = parseAddress(ip);
    if (!address) return false;
    const name = formatAddress(address);
    // Whose an address is that cannot be read is unknown: it stays as it is.
    if ((await this.#addresses.cache.get(this.#keyOf(name)))?.corrupt) return true;
    const found = await this.#find(name);
    return found ? isHeldBy(found, holder) : this.#create(name, address.family, holder);
  }

  /** Addresses that were given to services, to which, and when. */
  async given(): Promise<readonly GivenAddress[]> {
    await this.#addresses.cache.fresh();
    return this.#addresses.cache.slice(this.#addresses.cache.prefix).flatMap((entry) => {
      if (entry.corrupt) return [];
      const object = decodeObject(entry.value);
      const metadata = metadataOf(object);
      const holder = holderOf(object);
      if (!holder || objectIn(metadata, 'labels')?.[managedBy] !== allocator) return [];
      return [{ ip: textIn(metadata, 'name'), holder, created: Date.parse(textIn(metadata, 'creationTimestamp')) }];
    });
  }

  /** Before there is any ServiceCIDR, what the server was told to use. */
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

  async #create(name: string, family: string, holder: Holder): Promise<boolean> {
    const object = {
      kind: 'IPAddress',
      apiVersion: 'networking.k8s.io/v1',
      metadata: { name, labels: { [familyLabel]: family, [managedBy]: allocator } },
      spec: { parentRef: { resource: 'services', namespace: holder.namespace, name: holder.name } },
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

function isReady(cidr: JsonObject): boolean {
  if (metadataOf(cidr).deletionTimestamp !== undefined) return false;
  return objectsIn(objectIn(cidr, 'status'), 'conditions').some(({ type, status }) => type === 'Ready' && status === 'True');
}

function holderOf(address: JsonObject): Holder | undefined {
  const parent = objectIn(objectIn(address, 'spec'), 'parentRef');
  if (textIn(parent, 'group') !== '' || textIn(parent, 'resource') !== 'services') return undefined;
  return { namespace: textIn(parent, 'namespace'), name: textIn(parent, 'name') };
}

function isHeldBy(address: JsonObject, { namespace, name }: Holder): boolean {
  const holder = holderOf(address);
  return holder?.namespace === namespace && holder.name === name;
}
