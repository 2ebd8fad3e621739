import { type Clock, ExpiryTimer } from '../clock.ts';
import { checkKey } from '../keys.ts';
import {
  type Batch,
  Cancelled,
  type Change,
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
} from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import { LocalWatches, type TapListener, Taps } from '../watches.ts';
import { ChangeLog, KeyVersions } from './history.ts';

/** Nothing here waits for I/O: writes yield to the event loop now and then, so that a loop of writes does not block it. */
export class MemoryStore implements Store {
  readonly #clock: Clock;
  readonly #log = new ChangeLog();
  readonly #versions = new KeyVersions();
  readonly #expirations = new Expirations();
  readonly #taps = new Taps();
  readonly #watches = new LocalWatches(this.#log);
  readonly #timer: ExpiryTimer;
  readonly #slice = new TimeSlice();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#timer = new ExpiryTimer(clock, (now) => this.#removeExpired(now));
  }

  async revision(): Promise<number> {
    this.#checkOpen();
    return this.#log.newest;
  }

  async get(key: string): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#versions.newest(key);
  }

  async list(prefix: string, options: StoreListOptions = {}): Promise<Page> {
    this.#checkOpen();
    const revision = options.revision || this.#log.newest;
    this.#log.checkListable(revision);
    return this.#versions.page(prefix, revision, options);
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    this.#checkWrite(options);
    checkKey(key);
    if (this.#versions.newest(key)) throw new KeyExists(key);
    const revision = this.#log.newest + 1;
    return this.#put({ key, value, revision, created: revision }, undefined, options);
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    const previous = this.#expect(key, expected, options);
    return this.#put({ key, value, revision: this.#log.newest + 1, created: previous.created }, previous, options);
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    const previous = this.#expect(key, expected, options);
    const revision = this.#log.newest + 1;
    this.#expirations.delete(key);
    this.#apply({ type: 'delete', entry: { ...previous, revision }, previous });
    if (this.#slice.over) await this.#slice.rest();
    return revision;
  }

  /** Writes are synchronous, so none is ever in flight. */
  cancelledUnderWay(): undefined {}

  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch> {
    return this.#watches.follow(prefix, from, signal);
  }

  tap(listener: TapListener): () => void {
    return this.#taps.add(listener);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision > this.#log.newest) throw new FutureRevision(this.#log.newest);
    for (const { entry } of this.#log.forget(revision)) this.#versions.forget(entry.key, revision);
    if (this.#slice.over) await this.#slice.rest();
  }

  async ping(): Promise<void> {
    this.#checkOpen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#watches.end();
    await this.#timer.stop();
  }

  #checkOpen(): void {
    if (this.#closed) throw new Unavailable('the store is closed', { unwritten: true });
  }

  #checkWrite(options: StoreDeleteOptions | undefined): void {
    this.#checkOpen();
    if (options?.isCancelled?.()) throw new Cancelled();
  }

  #expect(key: string, expected: number, options: StoreDeleteOptions | undefined): Entry {
    this.#checkWrite(options);
    const current = this.#versions.newest(key);
    if (current?.revision !== expected) throw new Mismatch(key, current);
    return current;
  }

  async #put(entry: Entry, previous: Entry | undefined, options?: StoreWriteOptions): Promise<Entry> {
    this.#apply({ type: 'put', entry, previous });
    this.#expirations.delete(entry.key);
    if (options?.ttlSeconds) this.#expire(entry, options.ttlSeconds);
    if (this.#slice.over) await this.#slice.rest();
    return entry;
  }

  #expire(entry: Entry, ttlSeconds: number): void {
    const due = this.#clock.now() + ttlSeconds * 1000;
    this.#expirations.set(entry, due);
    this.#timer.expect(due);
  }

  #apply(change: Change): void {
    this.#versions.add(change);
    this.#log.add(change);
    this.#taps.publish({ changes: [change], revision: change.entry.revision });
    this.#watches.wake();
  }

  async #removeExpired(now: number): Promise<number | undefined> {
    for (const { key, revision } of this.#expirations.due(now)) await this.delete(key, revision).catch(ignoreMismatch);
    return this.#expirations.next();
  }
}

/** The key was written meanwhile. */
function ignoreMismatch(error: unknown): void {
  if (!(error instanceof Mismatch)) throw error;
}

/** Expiry times of keys. */
class Expirations {
  readonly #due = new Map<string, { readonly at: number; readonly entry: Entry }>();

  set(entry: Entry, at: number): void {
    this.#due.set(entry.key, { at, entry });
  }

  delete(key: string): void {
    this.#due.delete(key);
  }

  due(now: number): Entry[] {
    return [...this.#due.values()].filter(({ at }) => at <= now).map(({ entry }) => entry);
  }

  next(): number | undefined {
    let earliest: number | undefined;
    for (const { at } of this.#due.values()) if (earliest === undefined || at < earliest) earliest = at;
    return earliest;
  }
}
