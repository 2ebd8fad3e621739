import { type Clock, monotonicClock } from '../clock.ts';
import {
  type Batch,
  type DeleteOptions,
  type Entry,
  FutureRevision,
  type ListOptions,
  NoSpace,
  type Page,
  type Store,
  Unavailable,
  type WriteOptions,
} from '../store.ts';
import { Leases } from './leases.ts';
import type { EtcdLogger } from './options.ts';
import { Compactions, Reads } from './reads.ts';
import type { Caller } from './rpc/caller.ts';
import { memberStatus } from './rpc/cluster.ts';
import { isCompacted, isFuture } from './rpc/errors.ts';
import { compact } from './rpc/kv.ts';
import { Watches } from './watches.ts';
import { Writes } from './writes.ts';

export interface EtcdStoreOptions {
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: EtcdLogger | undefined;
}

const PING_TIMEOUT_MS = 2_000;

export class EtcdStore implements Store {
  readonly #caller: Caller;
  readonly #compactions: Compactions;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #watches: Watches;

  constructor(caller: Caller, { prefix = '/registry', clock = monotonicClock, logger }: EtcdStoreOptions) {
    const probeKey = prefix.endsWith('/') ? prefix : `${prefix}/`;
    this.#caller = caller;
    this.#compactions = new Compactions(caller, probeKey);
    this.#reads = new Reads(caller, this.#compactions, probeKey);
    this.#writes = new Writes(caller, new Leases(caller, clock));
    this.#watches = new Watches({ caller, newest: () => this.#reads.revision(), logger });
  }

  async revision(): Promise<number> {
    const revision = await this.#reads.revision();
    this.#watches.reach(revision);
    return revision;
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#reads.get(key);
  }

  list(prefix: string, options: ListOptions = {}): Promise<Page> {
    return this.#reads.list(prefix, options);
  }

  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<Entry> {
    return this.#writes.create(key, value, options);
  }

  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<Entry> {
    return this.#writes.update(key, value, expected, options);
  }

  delete(key: string, expected: number, options?: DeleteOptions): Promise<number> {
    return this.#writes.delete(key, expected, options);
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#caller.cancelledUnderWay();
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#watches.follow(prefix, from, signal);
  }

  /** Whoever else compacts the same etcd, this is safe to call again. */
  async compact(revision: number): Promise<void> {
    try {
      await this.#caller.read(compact, revision);
    } catch (error) {
      if (isFuture(error)) throw new FutureRevision(await this.#reads.revision());
      if (!isCompacted(error)) throw error;
    }
    this.#compactions.note(revision);
  }

  async ping(): Promise<void> {
    const timeoutMs = Math.min(PING_TIMEOUT_MS, this.#caller.timeoutMs);
    const [status] = await Promise.all([this.#caller.read(memberStatus, undefined, timeoutMs), this.#reads.revision(timeoutMs)]);
    const alarm = status.errors.find((error) => error.includes('alarm:'));
    if (!alarm) return;
    const message = `etcd takes no writes: ${alarm.trim()}`;
    throw alarm.includes('NOSPACE') ? new NoSpace({ message }) : new Unavailable(message);
  }

  close(): Promise<void> {
    this.#watches.end();
    return this.#caller.close();
  }
}
