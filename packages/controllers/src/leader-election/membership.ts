import { randomUUID } from 'node:crypto';
import type { Logger } from '@tsukube/apiserver';
import { renewedLease } from '@tsukube/machinery';
import type { SeenLease, SystemLeases } from './system-leases.ts';

const leaseDurationSeconds = 10;
const renewMs = 3_000;
/** A server that could not renew its lease for this long runs no controllers: before others may take them over. */
const renewDeadlineMs = 7_000;

/** Before the identity of a server, which starts with `apiserver-`. */
const namePrefix = 'tsukube-';

export interface MembershipOptions {
  /** The same after a restart. */
  readonly identity: string;
  readonly logger: Logger;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly newId?: () => string;
}

/**
 * The Lease of this server among those that share a store. A server that joins, or joins again after it was declared dead, does
 * so under a new holder identity: what it held before is free. Declaring a server dead is deleting its lease.
 */
export class Membership {
  readonly #leases: SystemLeases;
  readonly #options: MembershipOptions;
  readonly #name: string;
  /** The holder identity while this server is a member. */
  #self: string | undefined;
  /** The last holder identity of this process; undefined before it joins for the first time. */
  #former: string | undefined;
  #revision = 0;
  #renewedAt = 0;
  #isNamesakeReported = false;

  constructor(leases: SystemLeases, options: MembershipOptions) {
    this.#leases = leases;
    this.#options = options;
    this.#name = `${namePrefix}${options.identity}`;
  }

  /** The holder identity of this server; undefined while it is no member. */
  get self(): string | undefined {
    return this.#self;
  }

  /** Whether the lease was not renewed in time. */
  get isOverdue(): boolean {
    return this.#self !== undefined && this.#options.monotonic() - this.#renewedAt > renewDeadlineMs;
  }

  /** From now on this server is no member, whatever the store says. */
  forget(): void {
    this.#self = undefined;
  }

  /** Joins, or renews the lease if it is time to. Resolves to whether this server is a member. Rejects if the store fails. */
  async renew(): Promise<boolean> {
    if (this.#self === undefined) return this.#join();
    if (this.#leases.includes(this.#revision) && this.#leases.all().get(this.#name)?.holder !== this.#self) return this.#lost();
    if (this.#options.monotonic() - this.#renewedAt < renewMs) return true;
    const seen = await this.#own();
    if (seen?.holder !== this.#self) return this.#lost();
    // Changed in between: the next call finds out by whom.
    return (await this.#claim(seen, this.#self)) || this.#self !== undefined;
  }

  /** Deletes the lease: others take over at once. */
  async leave(): Promise<void> {
    const self = this.#self;
    this.#self = undefined;
    const seen = self === undefined ? undefined : await this.#leases.read(this.#name);
    if (seen && seen.holder === self) await this.#leases.remove(seen);
  }

  /** Deletes the leases of other servers that did not renew them in time. */
  async removeDead(): Promise<void> {
    const dead = [...memberLeases(this.#leases)].filter(
      ({ name, ageMs, durationMs }) => name !== this.#name && ageMs >= durationMs,
    );
    for (const lease of dead)
      if (await this.#leases.remove(lease))
        this.#options.logger.warn('a server did not renew its lease, its controllers are taken over', { server: lease.holder });
  }

  /** The holder identities of all members, in order. */
  members(): readonly string[] {
    const holders = [...memberLeases(this.#leases)].map(({ holder }) => holder);
    // The own lease may not have been seen yet.
    return [...new Set([...holders, this.#self ?? ''])].filter(Boolean).sort();
  }

  async #join(): Promise<boolean> {
    const seen = await this.#leases.read(this.#name);
    // A finalizer delays the deletion.
    if (seen?.isTerminating) return false;
    // At the start, the holder is the process before this one. Later it is another server of the same name.
    const isOwn = this.#former === undefined || !seen || seen.holder === '' || seen.holder === this.#former;
    const known = this.#leases.all().get(this.#name);
    if (!isOwn && !(known?.revision === seen.revision && known.ageMs >= seen.durationMs)) return this.#reportNamesake(seen);
    const { identity, newId = randomUUID } = this.#options;
    return this.#claim(seen, `${identity}_${newId()}`);
  }

  #own(): Promise<SeenLease | undefined> {
    const known = this.#leases.includes(this.#revision) ? this.#leases.all().get(this.#name) : undefined;
    return known ? Promise.resolve(known) : this.#leases.read(this.#name);
  }

  async #claim(seen: SeenLease | undefined, holder: string): Promise<boolean> {
    const { monotonic, now } = this.#options;
    const [begun, before] = [monotonic(), this.#self];
    const spec = renewedLease(seen?.spec, { identity: holder, durationSeconds: leaseDurationSeconds, now: now() });
    const revision = await this.#leases.write(this.#name, seen, spec);
    if (revision === undefined) return false;
    this.#former = holder;
    // The write took too long, or this server gave up meanwhile.
    if (monotonic() - begun > renewDeadlineMs || this.#self !== before) return false;
    this.#self = holder;
    this.#revision = revision;
    this.#renewedAt = begun;
    this.#isNamesakeReported = false;
    return true;
  }

  #lost(): false {
    this.#self = undefined;
    return false;
  }

  #reportNamesake({ holder }: SeenLease): false {
    if (!this.#isNamesakeReported)
      this.#options.logger.error(
        'another server has the same host name, address and port: it runs controllers, this one does not',
        {
          server: holder,
        },
      );
    this.#isNamesakeReported = true;
    return false;
  }
}

function* memberLeases(leases: SystemLeases): Iterable<SeenLease> {
  for (const lease of leases.all().values()) if (lease.name.startsWith(`${namePrefix}apiserver-`)) yield lease;
}
