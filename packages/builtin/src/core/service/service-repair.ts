import { decodeObject, type ObjectRegistry } from '@tsukube/apiserver';
import { ClusterIPAllocator, type ServiceRef } from './cluster-ip-allocator.ts';
import { NodePortAllocator } from './node-port-allocator.ts';
import { allocatedTo, serviceRefOf } from './service-allocator.ts';
import type { ServiceRanges } from './service-ranges.ts';

/** An IP is allocated before its service is written: a younger IPAddress may still get its service. */
const addressGraceMs = 60_000;
/** Ports have no creation time: one is released after this many rounds without a service. */
const roundsBeforeCleanup = 3;

/** The instance of a registry: its hooks and the controller that runs the repair are assembled apart. */
const repairs = new WeakMap<ObjectRegistry, ServiceRepair>();

/**
 * Repair loop: makes the allocated IPs and ports agree with the stored services. They differ after a crash between
 * allocation and write, when an IPAddress was deleted, or when the data is older than IPAddresses.
 */
export class ServiceRepair {
  readonly #services: ObjectRegistry;
  readonly #ranges: ServiceRanges;
  readonly #addresses: ClusterIPAllocator;
  /** Rounds that a port has been without a service. */
  readonly #orphans = new Map<number, number>();
  #first: Promise<readonly string[]> | undefined;

  /** One instance per registry. */
  static of(services: ObjectRegistry, ranges: ServiceRanges): ServiceRepair {
    let repair = repairs.get(services);
    if (!repair) {
      repair = new ServiceRepair(services, ranges);
      repairs.set(services, repair);
    }
    return repair;
  }

  private constructor(services: ObjectRegistry, ranges: ServiceRanges) {
    this.#services = services;
    this.#ranges = ranges;
    this.#addresses = new ClusterIPAllocator(services, ranges);
  }

  /** The first run, which must succeed before anything is allocated. */
  once(now: number): Promise<readonly string[]> {
    this.#first ??= this.run(now).catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    return this.#first;
  }

  /** Returns the IPs that more than one service uses; they cannot be repaired. */
  async run(now: number): Promise<readonly string[]> {
    await this.#services.cache.fresh();
    const conflicts = await this.#allocateMissing();
    await this.#releaseOrphans(now);
    await this.#repairPorts();
    return conflicts;
  }

  async #allocateMissing(): Promise<readonly string[]> {
    const conflicts: string[] = [];
    for (const { value } of this.#all()) {
      const service = decodeObject(value);
      for (const ip of allocatedTo(service).addresses)
        if (!(await this.#addresses.adopt(ip, serviceRefOf(service)))) conflicts.push(ip);
    }
    return conflicts;
  }

  async #releaseOrphans(now: number): Promise<void> {
    for (const { ip, service, created } of await this.#addresses.allocated()) {
      if (now - created > addressGraceMs && !this.#isUsed(ip, service)) await this.#addresses.release(ip, service);
    }
  }

  #isUsed(ip: string, { namespace, name }: ServiceRef): boolean {
    const entry = this.#services.cache.peek(`${this.#services.resource.storagePrefix}/${namespace}/${name}`);
    if (entry?.corrupt) return true;
    return entry !== undefined && allocatedTo(decodeObject(entry.value)).addresses.includes(ip);
  }

  async #repairPorts(): Promise<void> {
    const { first, last } = this.#ranges.nodePorts;
    const held = new Set(this.#all().flatMap(({ value }) => allocatedTo(decodeObject(value)).ports));
    let orphans: number[] = [];
    await NodePortAllocator.of(this.#services, this.#ranges).update((taken) => {
      for (const port of held) if (port >= first && port <= last) taken.add(port);
      orphans = taken.ports().filter((port) => !held.has(port));
      if (!this.#hasCorrupt)
        for (const port of orphans) if ((this.#orphans.get(port) ?? 0) >= roundsBeforeCleanup) taken.delete(port);
    });
    this.#countRounds(orphans);
  }

  #countRounds(orphans: readonly number[]): void {
    const seen = orphans.map((port): [number, number] => [port, (this.#orphans.get(port) ?? 0) + 1]);
    this.#orphans.clear();
    for (const [port, rounds] of seen) if (rounds <= roundsBeforeCleanup) this.#orphans.set(port, rounds);
  }

  /** Whether some services are corrupt: the ports allocated to them are unknown. */
  get #hasCorrupt(): boolean {
    const { cache } = this.#services;
    return cache.hasCorruption && cache.slice(cache.prefix).some(({ corrupt }) => corrupt);
  }

  #all() {
    return this.#services.cache.slice(this.#services.cache.prefix).filter(({ corrupt }) => !corrupt);
  }
}
