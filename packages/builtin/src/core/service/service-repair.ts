import { decodeObject, type ObjectRegistry } from '@tsukube/apiserver';
import { type Holder, ServiceAddresses } from './cluster-ip-allocator.ts';
import { ServicePorts } from './node-port-allocator.ts';
import { holderOf, holdingsOf } from './service-allocator.ts';
import type { ServiceRanges } from './service-ranges.ts';

/** An address is taken before its service is written; one that is younger may yet get its service. */
const addressGraceMs = 60_000;
/** The same for ports, which do not tell their age: so often they must be found without a service. */
const roundsBeforeCleanup = 3;

const repairs = new WeakMap<ObjectRegistry, ServiceRepair>();

/**
 * Makes what is written down agree with the services that are there: a server may have died between the two, the data may
 * be older than IPAddresses, or somebody deleted one.
 */
export class ServiceRepair {
  readonly #services: ObjectRegistry;
  readonly #ranges: ServiceRanges;
  readonly #addresses: ServiceAddresses;
  readonly #orphans = new Map<number, number>();
  #first: Promise<readonly string[]> | undefined;

  /** The one of these services. */
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
    this.#addresses = new ServiceAddresses(services, ranges);
  }

  /** Until this has been done nobody knows what is free. */
  once(now: number): Promise<readonly string[]> {
    this.#first ??= this.run(now).catch((error: unknown) => {
      this.#first = undefined;
      throw error;
    });
    return this.#first;
  }

  /** Gives the addresses that two services have: nothing here can help them. */
  async run(now: number): Promise<readonly string[]> {
    await this.#services.cache.fresh();
    const contested = await this.#takeMissing();
    await this.#releaseOrphans(now);
    await this.#repairPorts();
    return contested;
  }

  async #takeMissing(): Promise<readonly string[]> {
    const contested: string[] = [];
    for (const { value } of this.#all()) {
      const service = decodeObject(value);
      for (const ip of holdingsOf(service).addresses)
        if (!(await this.#addresses.insist(ip, holderOf(service)))) contested.push(ip);
    }
    return contested;
  }

  async #releaseOrphans(now: number): Promise<void> {
    for (const { ip, holder, created } of await this.#addresses.given()) {
      if (now - created > addressGraceMs && !this.#isHeld(ip, holder)) await this.#addresses.release(ip, holder);
    }
  }

  #isHeld(ip: string, { namespace, name }: Holder): boolean {
    const entry = this.#services.cache.peek(`${this.#services.resource.storagePrefix}/${namespace}/${name}`);
    if (entry?.corrupt) return true;
    return entry !== undefined && holdingsOf(decodeObject(entry.value)).addresses.includes(ip);
  }

  async #repairPorts(): Promise<void> {
    const { first, last } = this.#ranges.nodePorts;
    const held = new Set(this.#all().flatMap(({ value }) => holdingsOf(decodeObject(value)).ports));
    let orphans: number[] = [];
    await ServicePorts.of(this.#services, this.#ranges).change((taken) => {
      for (const port of held) if (port >= first && port <= last) taken.add(port);
      orphans = taken.ports().filter((port) => !held.has(port));
      if (!this.#hasCorrupt)
        for (const port of orphans) if ((this.#orphans.get(port) ?? 0) >= roundsBeforeCleanup) taken.delete(port);
    });
    this.#remember(orphans);
  }

  #remember(orphans: readonly number[]): void {
    const seen = orphans.map((port): [number, number] => [port, (this.#orphans.get(port) ?? 0) + 1]);
    this.#orphans.clear();
    for (const [port, rounds] of seen) if (rounds <= roundsBeforeCleanup) this.#orphans.set(port, rounds);
  }

  /** Whether there are services that cannot be read: what they hold is unknown. */
  get #hasCorrupt(): boolean {
    const { cache } = this.#services;
    return cache.hasCorruption && cache.slice(cache.prefix).some(({ corrupt }) => corrupt);
  }

  #all() {
    return this.#services.cache.slice(this.#services.cache.prefix).filter(({ corrupt }) => !corrupt);
  }
}
