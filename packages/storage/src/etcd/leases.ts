import type { Clock } from '../clock.ts';
import type { Opaque64 } from '../grpc/protobuf.ts';
import type { EtcdClient } from './rpc/client.ts';
import { grantLeaseMethod } from './rpc/cluster.ts';

export interface Lease {
  readonly id: Opaque64;
  readonly expires: number;
  /** Number of writes that used the lease, including failed ones. */
  writes: number;
}

/** How much longer than its TTL a key may live. */
const SLACK = { part: 0.05, leastSeconds: 1, mostSeconds: 60 };
const MAX_WRITES = 1000;
const MAX_LEASES = 256;

/**
 * Shares leases between writes that expire at about the same time, because each lease costs etcd memory and work, and events
 * are written by the thousand.
 */
export class Leases {
  readonly #client: EtcdClient;
  readonly #clock: Clock;
  readonly #bySeconds = new Map<number, Promise<Lease>>();

  constructor(client: EtcdClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Returns a lease that lasts at least `seconds`, and little longer. */
  async take(seconds: number): Promise<Lease> {
    const shared = this.#bySeconds.get(seconds);
    const lease = shared && (await shared.catch(() => undefined));
    if (lease && this.#serves(lease, seconds)) {
      lease.writes++;
      return lease;
    }
    return this.#bySeconds.get(seconds) === shared ? this.#grant(seconds) : this.take(seconds);
  }

  /** Drops a lease that etcd no longer knows. */
  async forget(seconds: number, lost: Lease): Promise<void> {
    const shared = this.#bySeconds.get(seconds);
    if ((await shared?.catch(() => undefined)) === lost && this.#bySeconds.get(seconds) === shared)
      this.#bySeconds.delete(seconds);
  }

  #serves(lease: Lease, seconds: number): boolean {
    return lease.writes < MAX_WRITES && lease.expires >= this.#clock.now() + seconds * 1000;
  }

  #grant(seconds: number): Promise<Lease> {
    const granted = this.#ask(seconds);
    this.#bySeconds.delete(seconds);
    this.#bySeconds.set(seconds, granted);
    const [oldest] = this.#bySeconds.keys();
    if (this.#bySeconds.size > MAX_LEASES && oldest !== undefined) this.#bySeconds.delete(oldest);
    granted.catch(() => this.#bySeconds.get(seconds) === granted && this.#bySeconds.delete(seconds));
    return granted;
  }

  async #ask(seconds: number): Promise<Lease> {
    const slack = Math.min(Math.max(seconds * SLACK.part, SLACK.leastSeconds), SLACK.mostSeconds);
    const total = Math.ceil(seconds + slack);
    const expires = this.#clock.now() + total * 1000;
    return { id: await this.#client.read(grantLeaseMethod, { seconds: total }), expires, writes: 1 };
  }
}
