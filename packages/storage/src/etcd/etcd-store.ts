import { type Clock, monotonicClock } from '../clock.ts';
import {
  type Batch,
  type Entry,
  FutureRevision,
  NoSpace,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
} from '../store.ts';
import { Leases } from './leases.ts';
import type { EtcdLogger } from './options.ts';
import { Compactions, Reads } from './reads.ts';
import type { EtcdClient } from './rpc/client.ts';
import { memberStatusMethod } from './rpc/cluster.ts';
import { isCompacted, isFuture } from './rpc/errors.ts';
import { compactMethod } from './rpc/kv.ts';
import { EtcdWatches } from './watches.ts';
import { Writes } from './writes.ts';

interface EtcdStoreOptions {
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly logger?: EtcdLogger | undefined;
}

const PING_TIMEOUT_MS = 2_000;

export class EtcdStore implements Store {
  readonly #client: EtcdClient;
  readonly #compactions: Compactions;
  readonly #reads: Reads;
  readonly #writes: Writes;
  readonly #watches: EtcdWatches;

  constructor(client: EtcdClient, { prefix = '/registry', clock = monotonicClock, logger }: EtcdStoreOptions) {
    const probeKey = prefix.endsWith('/') ? prefix : `${prefix}/`;
    this.#client = client;
    this.#compactions = new Compactions(client, probeKey);
    this.#reads = new Reads(client, this.#compactions, probeKey);
    this.#writes = new Writes(client, new Leases(client, clock));
    this.#watches = new EtcdWatches({ client, newest: () => this.#reads.revision(), logger });
  }

  async revision(): Promise<number> {
    const revision = await this.#reads.revision();
    this.#watches.reach(revision);
    return revision;
  }

  get(key: string): Promise<Entry | undefined> {
    return this.#reads.get(key);
  }

  list(prefix: string, options: StoreListOptions = {}): Promise<Page> {
    return this.#reads.list(prefix, options);
  }

  create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    return this.#writes.create(key, value, options);
  }

  update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    return this.#writes.update(key, value, expected, options);
  }

  delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    return this.#writes.delete(key, expected, options);
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#client.cancelledUnderWay();
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#watches.follow(prefix, from, signal);
  }

  /** Safe to repeat, and while other clients compact the same etcd. */
  async compact(revision: number): Promise<void> {
    try {
      await this.#client.read(compactMethod, revision);
    } catch (error) {
      if (isFuture(error)) throw new FutureRevision(await this.#reads.revision());
      if (!isCompacted(error)) throw error;
    }
    this.#compactions.note(revision);
  }

  async ping(): Promise<void> {
    const timeoutMs = Math.min(PING_TIMEOUT_MS, this.#client.timeoutMs);
    const [status] = await Promise.all([
      this.#client.read(memberStatusMethod, undefined, timeoutMs),
      this.#reads.revision(timeoutMs),
    ]);
    const alarm = status.errors.find((error) => error.includes('alarm:'));
    if (!alarm) return;
    const message = `etcd takes no writes: ${alarm.trim()}`;
    throw alarm.includes('NOSPACE') ? new NoSpace({ message }) : new Unavailable(message);
  }

  close(): Promise<void> {
    this.#watches.end();
    return this.#client.close();
  }
}
