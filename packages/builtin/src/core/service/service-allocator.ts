import { type CacheEntry, decodeObject, type ObjectRegistry, type Reservation } from '@tsukube/apiserver';
import {
  type JsonObject,
  metadataOf,
  numberIn,
  objectIn,
  objectsIn,
  parseAddress,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { type Holder, ServiceAddresses } from './cluster-ip-allocator.ts';
import { ServicePorts } from './node-port-allocator.ts';
import { chooseFree, portChoice, type ServiceRanges } from './service-ranges.ts';

/** What one write takes for a service, and what it lets go of. */
export class ServiceClaims implements Reservation {
  readonly #addresses: ServiceAddresses;
  readonly #ports: ServicePorts;
  readonly #ranges: ServiceRanges;
  readonly #holder: Holder;
  readonly #before: Holdings;
  readonly #dryRun: boolean;
  readonly #random: () => number;
  readonly #taken = { addresses: new Set<string>(), ports: new Set<number>() };

  constructor(
    objects: ObjectRegistry,
    ranges: ServiceRanges,
    { object, old, dryRun }: { readonly object: JsonObject; readonly old: JsonObject | undefined; readonly dryRun: boolean },
    random: () => number = Math.random,
  ) {
    this.#addresses = new ServiceAddresses(objects, ranges);
    this.#ports = ServicePorts.of(objects, ranges);
    this.#ranges = ranges;
    this.#holder = holderOf(object);
    this.#before = holdingsOf(old);
    this.#dryRun = dryRun;
    this.#random = random;
  }

  async keep(written: CacheEntry): Promise<void> {
    await this.#release(givenUp(this.#before, holdingsOf(decodeObject(written.value))));
  }

  async giveBack(): Promise<void> {
    if (!this.#dryRun) await this.#release({ addresses: [...this.#taken.addresses], ports: [...this.#taken.ports] });
  }

  #release(holdings: Holdings): Promise<void> {
    return releaseHoldings(this.#addresses, this.#ports, holdings, this.#holder);
  }

  /** What is wrong with taking a certain address. */
  async takeAddress(ip: string): Promise<string | undefined> {
    const problem = await this.#addresses.take(ip, this.#holder, this.#dryRun);
    if (problem === undefined) this.#taken.addresses.add(ip);
    return problem;
  }

  async nextAddress(family: string): Promise<string> {
    const ip = await this.#addresses.next(family, this.#holder, this.#dryRun, this.#random);
    if (ip === undefined) {
      const service = JSON.stringify(this.#holder.name);
      throw StatusError.internalError(`failed to allocate a serviceIP for Service ${service}: range is full`);
    }
    this.#taken.addresses.add(ip);
    return ip;
  }

  /** What is wrong with taking a certain port. */
  async takePort(port: number): Promise<string | undefined> {
    const { first, last } = this.#ranges.nodePorts;
    if (port < first || port > last)
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    const chosen = await this.#choosePort((isTaken) => (isTaken(port) ? undefined : port));
    return chosen === undefined ? 'provided port is already allocated' : undefined;
  }

  async nextPort(purpose: string): Promise<number> {
    const choice = portChoice(this.#ranges);
    const port = await this.#choosePort((isTaken) => {
      const free = chooseFree(choice, (number) => isTaken(Number(number)), this.#random);
      return free === undefined ? undefined : Number(free);
    });
    if (port === undefined) throw StatusError.internalError(`failed to allocate a ${purpose}: range is full`);
    return port;
  }

  async #choosePort(choose: (isTaken: (port: number) => boolean) => number | undefined): Promise<number | undefined> {
    const how = this.#dryRun ? 'look' : 'change';
    const port = await this.#ports[how]((taken) => {
      const chosen = choose((each) => taken.has(each) || this.#taken.ports.has(each));
      if (chosen !== undefined) taken.add(chosen);
      return chosen;
    });
    if (port !== undefined) this.#taken.ports.add(port);
    return port;
  }
}

export function holderOf(service: JsonObject): Holder {
  const metadata = metadataOf(service);
  return { namespace: textIn(metadata, 'namespace'), name: textIn(metadata, 'name') };
}

async function releaseHoldings(addresses: ServiceAddresses, ports: ServicePorts, held: Holdings, holder: Holder): Promise<void> {
  for (const ip of held.addresses) await addresses.release(ip, holder);
  if (held.ports.length === 0) return;
  await ports.change((taken) => {
    for (const port of held.ports) taken.delete(port);
  });
}

/** A service is gone: others may have what it had. */
export async function releaseService(service: JsonObject, objects: ObjectRegistry, ranges: ServiceRanges): Promise<void> {
  const addresses = new ServiceAddresses(objects, ranges);
  await releaseHoldings(addresses, ServicePorts.of(objects, ranges), holdingsOf(service), holderOf(service));
}

/** What a service has of that of which there is only one each. */
export interface Holdings {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export function holdingsOf(service: JsonObject | undefined): Holdings {
  const spec = objectIn(service, 'spec');
  if (!spec || spec.type === 'ExternalName') return { addresses: [], ports: [] };
  const ports = [...objectsIn(spec, 'ports').map((port) => numberIn(port, 'nodePort')), numberIn(spec, 'healthCheckNodePort')];
  return {
    addresses: textsIn(spec, 'clusterIPs').filter((ip) => parseAddress(ip) !== undefined),
    ports: [...new Set(ports)].filter((port) => port !== 0),
  };
}

/** What is no longer held. */
export function givenUp(before: Holdings, after: Holdings): Holdings {
  const [addresses, ports] = [new Set(after.addresses), new Set(after.ports)];
  return {
    addresses: before.addresses.filter((ip) => !addresses.has(ip)),
    ports: before.ports.filter((port) => !ports.has(port)),
  };
}
