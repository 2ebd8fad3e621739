import type { CacheEntry, Reservation } from '@tsukube/apiserver';
import { formatAddress, parseAddress, StatusError } from '@tsukube/machinery';
import { addressClaim, type Claim, portClaim, type ServicePool } from './service-pool.ts';
import { addressChoice, chooseFree, portChoice, rangeOf, type ServiceRanges } from './service-ranges.ts';

/** What one write takes from the pool. */
export class ServiceClaims implements Reservation {
  readonly #pool: ServicePool;
  readonly #ranges: ServiceRanges;
  readonly #random: () => number;
  readonly #taken: Claim[] = [];

  constructor(pool: ServicePool, ranges: ServiceRanges, random: () => number = Math.random) {
    this.#pool = pool;
    this.#ranges = ranges;
    this.#random = random;
  }

  keep(written: CacheEntry): void {
    this.#pool.learn(written);
    this.giveBack();
  }

  giveBack(): void {
    for (const claim of this.#taken.splice(0)) this.#pool.giveBack(claim);
  }

  /** What is wrong with taking a certain address. */
  takeAddress(ip: string): string | undefined {
    const address = parseAddress(ip);
    const range = address && rangeOf(this.#ranges, address.family);
    if (!range) return 'the provided network does not match the current range';
    const { first, last } = addressChoice(range);
    if (address.value < first || address.value > last) return 'the provided network does not match the current range';
    return this.#take(addressClaim(ip) as Claim) ? undefined : 'provided IP is already allocated';
  }

  nextAddress(family: string, service: string): string {
    const range = rangeOf(this.#ranges, family);
    const value =
      range && chooseFree(addressChoice(range), (number) => this.#pool.isTaken(`${range.family}/${number}`), this.#random);
    if (value === undefined)
      throw StatusError.internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(service)}: range is full`);
    this.#take(`${range?.family ?? 'IPv4'}/${value}`);
    return formatAddress({ family: range?.family ?? 'IPv4', value });
  }

  /** What is wrong with taking a certain port. */
  takePort(port: number): string | undefined {
    const { first, last } = this.#ranges.nodePorts;
    if (port < first || port > last)
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    return this.#take(portClaim(port)) ? undefined : 'provided port is already allocated';
  }

  nextPort(purpose: string): number {
    const port = chooseFree(portChoice(this.#ranges), (number) => this.#pool.isTaken(`port/${number}`), this.#random);
    if (port === undefined) throw StatusError.internalError(`failed to allocate a ${purpose}: range is full`);
    this.#take(`port/${port}`);
    return Number(port);
  }

  #take(claim: Claim): boolean {
    if (this.#pool.isTaken(claim)) return false;
    this.#pool.take(claim);
    this.#taken.push(claim);
    return true;
  }
}
