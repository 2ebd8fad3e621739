import type { Duplex } from 'node:stream';
import { checkKey, isTooLong } from '../keys.ts';
import { CaughtUp } from '../lmdb/caught-up.ts';
import type { LmdbEnvironment } from '../lmdb/environment.ts';
import { LmdbReads } from '../lmdb/reads.ts';
import type { OnCorrupt } from '../lmdb/values.ts';
import {
  type Batch,
  Cancelled,
  type Corruption,
  type Entry,
  Mismatch,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
} from '../store.ts';
import { LocalWatches, type TapListener, Taps } from '../watches.ts';
import { FollowedLog } from './followed-log.ts';
import type { WriteRequest } from './messages.ts';
import { RemoteWrites, type Written } from './remote-writes.ts';

export interface ReaderStoreOptions {
  /** The connection to the process that writes. */
  readonly connection: Duplex;
  readonly onCorrupt: OnCorrupt;
  /** The writing process has ended, or the log cannot be read: this process cannot go on. */
  readonly onLost: (error: Error) => void;
}

/** Reads the database in this process, and sends writes to the process that writes it. */
export class ReaderStore implements Store {
  readonly #tables: LmdbEnvironment;
  readonly #reads: LmdbReads;
  readonly #log: FollowedLog;
  readonly #watches: LocalWatches;
  readonly #writes: RemoteWrites;
  readonly #taps = new Taps();
  readonly #compactionListeners = new Set<(revision: number) => void>();
  readonly #caughtUp = new CaughtUp();
  readonly #onLost: (error: Error) => void;
  #closing: Promise<void> | undefined;

  constructor(tables: LmdbEnvironment, { connection, onCorrupt, onLost }: ReaderStoreOptions) {
    this.#tables = tables;
    this.#onLost = onLost;
    this.#reads = new LmdbReads(tables, () => this.#checkOpen(), onCorrupt);
    this.#log = new FollowedLog(tables, this.#reads.values, (batch) => this.#publish(batch));
    this.#watches = new LocalWatches(this.#log);
    this.#writes = new RemoteWrites(connection, {
      onCommitted: (revision, values) => this.#onCommitted(revision, values),
      onCompacting: (revision) => this.#onCompacting(revision),
      onLost,
    });
  }

  catchUp(): Promise<void> | undefined {
    this.#checkOpen();
    if (this.#caughtUp.isSet) return undefined;
    const behind = this.#log.catchUp();
    if (!behind) this.#caughtUp.set();
    return behind;
  }

  async revision(): Promise<number> {
    await this.catchUp();
    return this.#log.newest;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    this.#tables.root.resetReadTxn();
    const head = this.#reads.head(key);
    return head && this.#reads.values.read({ ...head, key });
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Page> {
    await this.catchUp();
    return this.#reads.list(prefix, options, this.#log.compacted);
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    checkKey(key);
    const written = await this.#write({ operation: 'create', key, value, expected: 0, ttlSeconds: ttlOf(options) }, options);
    return { key, value, ...written };
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    const written = await this.#write({ operation: 'update', key, value, expected, ttlSeconds: ttlOf(options) }, options);
    return { key, value, ...written };
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    const request = { operation: 'delete', key, value: EMPTY, expected, ttlSeconds: 0 } as const;
    return (await this.#write(request, options)).revision;
  }

  async #write(request: WriteRequest, options: StoreDeleteOptions | undefined): Promise<Written> {
    this.#checkOpen();
    if (options?.isCancelled?.()) throw new Cancelled();
    // Such a key cannot exist.
    if (isTooLong(request.key)) throw new Mismatch(request.key, undefined);
    try {
      return await this.#writes.write(request, options?.isCancelled);
    } catch (error) {
      throw error instanceof Mismatch ? new Mismatch(request.key, await this.get(request.key)) : error;
    }
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#writes.cancelledUnderWay();
  }

  async *watch(prefix: string, from: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    if (!this.#closing) await this.catchUp();
    yield* this.#watches.follow(prefix, from, signal);
  }

  tap(listener: TapListener): () => void {
    return this.#taps.add(listener);
  }

  onCompaction(listener: (revision: number) => void): () => void {
    this.#compactionListeners.add(listener);
    return () => this.#compactionListeners.delete(listener);
  }

  valueAt(revision: number, key: string): Uint8Array {
    this.#checkOpen();
    return this.#reads.values.view({ key, revision, created: 0 });
  }

  corruption(): Corruption {
    return this.#reads.corrupt;
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    await this.#writes.compact(revision);
    await this.catchUp();
  }

  async trim(): Promise<void> {
    this.#checkOpen();
    this.#reads.trim();
  }

  async ping(): Promise<void> {
    if (this.#closing) throw closed();
    this.#tables.guard.check();
    await this.#writes.ping();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watches.end();
    await this.#writes.close();
    await this.#reads.close();
  }

  #checkOpen(): void {
    if (this.#closing) throw closed();
    this.#tables.guard.beforeRead();
  }

  #onCommitted(revision: number, values: ReadonlyMap<number, Uint8Array>): Promise<void> | undefined {
    return revision <= this.#log.newest ? undefined : this.#follow(values);
  }

  /** A process that cannot follow must not serve: it would hold old values. */
  #follow(values?: ReadonlyMap<number, Uint8Array>): Promise<void> | undefined {
    try {
      return this.#log.catchUp(values)?.catch(this.#onLost);
    } catch (error) {
      this.#onLost(error as Error);
      return undefined;
    }
  }

  /** The values that a compaction removes were replaced by changes that listeners must have received. */
  #onCompacting(revision: number): Promise<void> | undefined {
    const drop = () => {
      for (const listener of this.#compactionListeners) listener(revision);
    };
    const behind = this.#follow();
    if (!behind) drop();
    return behind?.then(drop);
  }

  #publish(batch: Batch): void {
    for (const { entry } of batch.changes) this.#reads.corrupt.forget(entry.key);
    this.#taps.publish(batch);
    this.#watches.wake();
  }
}

const EMPTY = new Uint8Array(0);

function ttlOf(options: StoreWriteOptions | undefined): number {
  return options?.ttlSeconds ?? 0;
}

function closed(): Unavailable {
  return new Unavailable('the store is closed', { unwritten: true });
}
