import { releasedLease, renewedLease } from '@tsukube/machinery';
import type { SystemLeases } from './system-leases.ts';

const name = 'tsukube-controllers';
const identity = 'tsukube-lease-per-controller';
const durationSeconds = 60;
const renewMs = 20_000;

/**
 * The Lease tsukube-controllers, which all servers hold together. Earlier versions had this one lease for all controllers: during a
 * rolling upgrade they wait for it, and this version waits for one of them that holds it.
 */
export class GroupLease {
  readonly #leases: SystemLeases;
  readonly #now: () => number;

  constructor(leases: SystemLeases, now: () => number) {
    this.#leases = leases;
    this.#now = now;
  }

  /** Acquires or renews it if needed. Resolves to whether it is held by servers of this version. */
  async hold(): Promise<boolean> {
    const seen = this.#leases.all().get(name);
    const isOurs = seen?.holder === identity;
    if (isOurs && seen.ageMs < renewMs) return true;
    if (seen && !isOurs && seen.holder !== '' && seen.ageMs < seen.durationMs) return false;
    const spec = renewedLease(seen?.spec, { identity, durationSeconds, now: this.#now() });
    if ((await this.#leases.write(name, seen, spec)) !== undefined) return true;
    return (await this.#leases.read(name))?.holder === identity;
  }

  /** Called by the last server, so that one of an earlier version need not wait. */
  async release(): Promise<void> {
    const seen = this.#leases.all().get(name);
    if (seen?.holder === identity) await this.#leases.write(name, seen, releasedLease(seen.spec, this.#now()));
  }
}
