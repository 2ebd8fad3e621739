import { type CacheEntry, decodeObject, type ObjectRegistry, type Reservation } from '@tsukube/apiserver';
import {
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  parseAddress,
  StatusError,
  textsIn,
} from '@tsukube/machinery';
import { ClusterIPAllocator, type ServiceRef } from './cluster-ip-allocator.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { nodePortRange, pickFree, type ServiceRanges } from './service-ranges.ts';

/** Cluster IPs and node ports that one write of a service allocates and releases. */
export class ServiceAllocator implements Reservation {
  readonly #addresses: ClusterIPAllocator;
  readonly #ports: NodePortAllocator;
  readonly #ranges: ServiceRanges;
  readonly #service: ServiceRef;
  readonly #before: Allocated;
  readonly #dryRun: boolean;
  readonly #random: () => number;
  readonly #taken = { addresses: new Set<string>(), ports: new Set<number>() };

  constructor(
    objects: ObjectRegistry,
    ranges: ServiceRanges,
    { object, old, dryRun }: { readonly object: KubeObject; readonly old: KubeObject | undefined; readonly dryRun: boolean },
    random: () => number = Math.random,
  ) {
    this.#addresses = new ClusterIPAllocator(objects, ranges);
    this.#ports = NodePortAllocator.of(objects, ranges);
    this.#ranges = ranges;
    this.#service = serviceRefOf(object);
    this.#before = allocatedTo(old);
    this.#dryRun = dryRun;
    this.#random = random;
  }

  async keep(written: CacheEntry): Promise<void> {
    await this.#release(released(this.#before, allocatedTo(decodeObject(written.value))));
  }

  async giveBack(): Promise<void> {
    if (!this.#dryRun) await this.#release({ addresses: [...this.#taken.addresses], ports: [...this.#taken.ports] });
  }

  #release(allocated: Allocated): Promise<void> {
    return release(this.#addresses, this.#ports, allocated, this.#service);
  }

  /** Allocates a requested IP. Returns the reason if that fails. */
  async allocateIP(ip: string): Promise<string | undefined> {
    const problem = await this.#addresses.allocate(ip, this.#service, this.#dryRun);
    if (problem === undefined) this.#taken.addresses.add(ip);
    return problem;
  }

  async allocateNextIP(family: string): Promise<string> {
    const ip = await this.#addresses.allocateNext(family, this.#service, this.#dryRun, this.#random);
    if (ip === undefined) {
      const service = JSON.stringify(this.#service.name);
      throw StatusError.internalError(`failed to allocate a serviceIP for Service ${service}: range is full`);
    }
    this.#taken.addresses.add(ip);
    return ip;
  }

  /** Allocates a requested port. Returns the reason if that fails. */
  async allocatePort(port: number): Promise<string | undefined> {
    const { first, last } = this.#ranges.nodePorts;
    if (port < first || port > last)
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    const chosen = await this.#choosePort((isTaken) => (isTaken(port) ? undefined : port));
    return chosen === undefined ? 'provided port is already allocated' : undefined;
  }

  async allocateNextPort(purpose: string): Promise<number> {
    const choice = nodePortRange(this.#ranges);
    const port = await this.#choosePort((isTaken) => {
      const free = pickFree(choice, (number) => isTaken(Number(number)), this.#random);
      return free === undefined ? undefined : Number(free);
    });
    if (port === undefined) throw StatusError.internalError(`failed to allocate a ${purpose}: range is full`);
    return port;
  }

  async #choosePort(choose: (isTaken: (port: number) => boolean) => number | undefined): Promise<number | undefined> {
    const how = this.#dryRun ? 'read' : 'update';
    const port = await this.#ports[how]((taken) => {
      const chosen = choose((each) => taken.has(each) || this.#taken.ports.has(each));
      if (chosen !== undefined) taken.add(chosen);
      return chosen;
    });
    if (port !== undefined) this.#taken.ports.add(port);
    return port;
  }
}

export function serviceRefOf({ metadata }: KubeObject): ServiceRef {
  return { namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

async function release(
  addresses: ClusterIPAllocator,
  ports: NodePortAllocator,
  allocated: Allocated,
  service: ServiceRef,
): Promise<void> {
  for (const ip of allocated.addresses) await addresses.release(ip, service);
  if (allocated.ports.length === 0) return;
  await ports.update((taken) => {
    for (const port of allocated.ports) taken.delete(port);
  });
}

/** Releases everything allocated to a deleted service. */
export async function releaseService(service: KubeObject, objects: ObjectRegistry, ranges: ServiceRanges): Promise<void> {
  const addresses = new ClusterIPAllocator(objects, ranges);
  await release(addresses, NodePortAllocator.of(objects, ranges), allocatedTo(service), serviceRefOf(service));
}

/** ClusterIPs and node ports allocated by a Service. */
interface Allocated {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export function allocatedTo(service: JsonObject | undefined): Allocated {
  const spec = objectIn(service, 'spec');
  if (!spec || spec.type === 'ExternalName') return { addresses: [], ports: [] };
  const ports = [...objectsIn(spec, 'ports').map((port) => numberIn(port, 'nodePort')), numberIn(spec, 'healthCheckNodePort')];
  return {
    addresses: textsIn(spec, 'clusterIPs').filter((ip) => parseAddress(ip) !== undefined),
    ports: [...new Set(ports)].filter((port) => port !== 0),
  };
}

/** Allocated before, and not any more. */
export function released(before: Allocated, after: Allocated): Allocated {
  const [addresses, ports] = [new Set(after.addresses), new Set(after.ports)];
  return {
    addresses: before.addresses.filter((ip) => !addresses.has(ip)),
    ports: before.ports.filter((port) => !ports.has(port)),
  };
}
