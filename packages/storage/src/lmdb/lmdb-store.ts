import { type Clock, ExpiryTimer } from '../clock.ts';
import { checkKey } from '../keys.ts';
import {
  type Batch,
  Cancelled,
  type Corruption,
  type Entry,
  FutureRevision,
  KeyExists,
  Mismatch,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  Unavailable,
  withRevision,
} from '../store.ts';
import { LocalWatches, type TapListener, Taps } from '../watches.ts';
import { CaughtUp } from './caught-up.ts';
import type { Attempt, Write } from './commit-group.ts';
import { Compactor } from './compactor.ts';
import { type LmdbEnvironment, readCommitted } from './environment.ts';
import { removeExpired } from './expiry.ts';
import type { State } from './file/records.ts';
import { LmdbLog } from './log.ts';
import type { SharedLmdb } from './options.ts';
import { LmdbReads } from './reads.ts';
import type { OnCorrupt } from './values.ts';
import { LmdbWriter } from './writer.ts';

/** The newest entry of a key, including uncommitted writes. */
interface Newest {
  readonly entry: Entry;
  readonly expires: number;
}

export interface LmdbStoreOptions {
  readonly clock: Clock;
  readonly onCorrupt?: OnCorrupt;
  readonly shared?: SharedLmdb | undefined;
}

export class LmdbStore implements Store {
  readonly #tables: LmdbEnvironment;
  readonly #clock: Clock;
  readonly #writer: LmdbWriter;
  readonly #reads: LmdbReads;
  readonly #log: LmdbLog;
  readonly #watches: LocalWatches;
  readonly #taps = new Taps();
  readonly #sweeper: Compactor;
  readonly #timer: ExpiryTimer;
  readonly #shared: SharedLmdb | undefined;
  readonly #caughtUp = new CaughtUp();
  readonly catchUp?: Store['catchUp'];
  #closing: Promise<void> | undefined;

  constructor(tables: LmdbEnvironment, state: State, transaction: number, { clock, onCorrupt, shared }: LmdbStoreOptions) {
    this.#tables = tables;
    this.#clock = clock;
    this.#shared = shared;
    if (shared) this.catchUp = () => this.#catchUp();
    this.#writer = new LmdbWriter(
      tables,
      state,
      transaction,
      (writes) => this.#publish(writes),
      () => tables.guard.check(),
    );
    this.#reads = new LmdbReads(tables, () => this.#checkOpen(), onCorrupt ?? (() => {}));
    this.#log = new LmdbLog(tables, this.#reads.values, state.revision, () => this.#writer.state);
    this.#watches = new LocalWatches(this.#log);
    this.#sweeper = new Compactor(tables, this.#writer);
    this.#timer = new ExpiryTimer(clock, (now) => removeExpired(tables, now, (key, expected) => this.delete(key, expected)));
  }

  /** Resumes expiry and an interrupted sweep. */
  start(): void {
    this.#timer.expect(this.#clock.now());
    this.#sweeper.sweep().catch(untilNextCompaction);
  }

  /**
   * Other processes can read a commit before this one has published it. Reads here must not be older than theirs, so they wait
   * for the commit in flight if it is visible already.
   */
  #catchUp(): Promise<void> | undefined {
    this.#checkOpen();
    if (this.#caughtUp.isSet) return undefined;
    if (readCommitted(this.#tables).revision > this.#log.newest) return this.#writer.committed();
    this.#caughtUp.set();
    return undefined;
  }

  async revision(): Promise<number> {
    this.#checkOpen();
    await this.catchUp?.();
    return this.#log.newest;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    if (this.#shared) this.#tables.root.resetReadTxn();
    const head = this.#reads.head(key);
    return head && this.#log.entryAt({ ...head, key });
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Page> {
    this.#checkOpen();
    if (this.#shared) this.#tables.root.resetReadTxn();
    return this.#reads.list(prefix, options, this.#writer.state.compacted);
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    this.#checkWrite(options);
    checkKey(key);
    return this.#create(key, value, options);
  }

  #create(key: string, value: Uint8Array, options: StoreWriteOptions | undefined): Promise<Entry> {
    const attempt = { isCancelled: options?.isCancelled, resubmit: () => this.#create(key, value, options) };
    if (this.#exists(key)) return this.#writer.refuse(this.#writer.pending(key), () => new KeyExists(key), attempt);
    const revision = this.#writer.nextRevision;
    const entry = { key, value, revision, created: revision };
    return this.#writer.write({
      change: { type: 'put', entry, previous: undefined },
      expires: this.#expires(options),
      replacedExpires: 0,
      ...attempt,
    });
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    this.#checkWrite(options);
    return this.#update(key, value, expected, options);
  }

  #update(key: string, value: Uint8Array, expected: number, options: StoreWriteOptions | undefined): Promise<Entry> {
    const attempt = { isCancelled: options?.isCancelled, resubmit: () => this.#update(key, value, expected, options) };
    const newest = this.#newest(key);
    if (newest?.entry.revision !== expected) return this.#mismatch(key, newest, attempt);
    const { entry: previous, expires: replacedExpires } = newest;
    const entry = { key, value, revision: this.#writer.nextRevision, created: previous.created };
    const expires = this.#expires(options);
    return this.#writer.write({ change: { type: 'put', entry, previous }, expires, replacedExpires, ...attempt });
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    this.#checkWrite(options);
    return (await this.#remove(key, expected, options)).revision;
  }

  #remove(key: string, expected: number, options: StoreDeleteOptions | undefined): Promise<Entry> {
    const attempt = { isCancelled: options?.isCancelled, resubmit: () => this.#remove(key, expected, options) };
    const newest = this.#newest(key);
    if (newest?.entry.revision !== expected) return this.#mismatch(key, newest, attempt);
    const { entry: previous, expires: replacedExpires } = newest;
    const entry = withRevision(previous, this.#writer.nextRevision);
    return this.#writer.write({ change: { type: 'delete', entry, previous }, expires: 0, replacedExpires, ...attempt });
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#writer.cancelledUnderWay();
  }

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#watches.follow(prefix, from, signal);
  }

  tap(listener: TapListener): () => void {
    return this.#taps.add(listener);
  }

  valueAt(revision: number, key: string): Uint8Array {
    this.#checkOpen();
    return this.#log.valueAt({ key, revision, created: 0 });
  }

  corruption(): Corruption {
    return this.#reads.corrupt;
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision > this.#log.newest) throw new FutureRevision(this.#log.newest);
    await this.#shared?.beforeCompaction(revision);
    // A process that was killed while it read, such as a worker or a backup, would keep pages from being reused.
    this.#tables.root.readerCheck();
    await this.#sweeper.compact(revision);
  }

  async trim(): Promise<void> {
    this.#checkOpen();
    await this.#writer.runExclusive(() => this.#reads.trim());
  }

  async ping(): Promise<void> {
    this.#tables.guard.check();
    await this.#writer.ping();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watches.end();
    await Promise.all([this.#writer.close(), this.#sweeper.stop(), this.#timer.stop()]);
    await this.#reads.close();
  }

  #checkOpen(): void {
    if (this.#closing) throw new Unavailable('the store is closed', { unwritten: true });
    this.#tables.guard.beforeRead();
  }

  #checkWrite(options: StoreDeleteOptions | undefined): void {
    this.#checkOpen();
    if (options?.isCancelled?.()) throw new Cancelled();
  }

  #exists(key: string): boolean {
    const pending = this.#writer.pending(key);
    return pending ? pending.change.type === 'put' : this.#tables.current.doesExist(key);
  }

  #newest(key: string): Newest | undefined {
    const pending = this.#writer.pending(key);
    if (pending) return pending.change.type === 'put' ? { entry: pending.change.entry, expires: pending.expires } : undefined;
    const head = this.#reads.head(key);
    return head && { entry: this.#log.entryAt({ ...head, key }), expires: head.expires };
  }

  #mismatch(key: string, newest: Newest | undefined, attempt: Pick<Attempt, 'isCancelled' | 'resubmit'>): Promise<Entry> {
    return this.#writer.refuse(this.#writer.pending(key), () => new Mismatch(key, newest?.entry), attempt);
  }

  #expires(options: StoreWriteOptions | undefined): number {
    return options?.ttlSeconds ? Math.round(this.#clock.now() + options.ttlSeconds * 1000) : 0;
  }

  #publish(writes: readonly Write[]): void {
    if (writes.length === 0) return;
    const changes = writes.map(({ change }) => change);
    for (const change of changes) {
      this.#log.add(change);
      this.#reads.corrupt.forget(change.entry.key);
    }
    this.#taps.publish({ changes, revision: this.#log.newest });
    this.#watches.wake();
    for (const { expires } of writes) if (expires) this.#timer.expect(expires);
  }
}

/** The rest is swept with the next compaction. */
function untilNextCompaction(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error;
}
