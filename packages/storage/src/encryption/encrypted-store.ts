import { type Clock, systemClock } from '../clock.ts';
import {
  type Batch,
  type Change,
  CorruptEntry,
  EncryptionFailed,
  type Entry,
  Mismatch,
  type Page,
  type Store,
  type StoreDeleteOptions,
  type StoreListOptions,
  type StoreWriteOptions,
  UnreadableValue,
} from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import { PreparedTaps } from './prepared-taps.ts';
import { identityTransformer, isEncrypted, type Opened, type Transformer } from './transformer.ts';

/**
 * Returns the transformer for a key: `identityTransformer` for values that are not encrypted. The result may change at any
 * time.
 */
export type TransformerOf = (key: string) => Transformer;

export interface EncryptedStoreOptions {
  readonly clock?: Clock;
  /**
   * Called before a value is opened that no transformer knows: another process may have a newer configuration. Resolves when the
   * configuration is up to date, and never rejects.
   */
  readonly refresh?: () => Promise<void>;
}

/**
 * Wraps a store so that it holds encrypted values and callers see plain ones. It has no `valueAt`, because the key of a KMS
 * cannot be fetched synchronously; the watch cache therefore holds the values.
 */
export function encryptedStore(store: Store, transformerOf: TransformerOf, options: EncryptedStoreOptions = {}): Store {
  return new EncryptedStore(store, transformerOf, options);
}

const WATCH_WAIT_MS = 500;

class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #transformerOf: TransformerOf;
  readonly #clock: Clock;
  readonly #refresh: EncryptedStoreOptions['refresh'];
  /** Plain values by their sealed form while they are being written, so that the tap need not decrypt them. */
  readonly #writing = new Map<Uint8Array, Uint8Array>();
  readonly tap?: Store['tap'];
  readonly catchUp?: Store['catchUp'];
  readonly onCompaction?: Store['onCompaction'];
  readonly trim?: Store['trim'];
  readonly corruption?: Store['corruption'];

  constructor(store: Store, transformerOf: TransformerOf, { clock = systemClock, refresh }: EncryptedStoreOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#refresh = refresh;
    this.#transformerOf = transformerOf;
    const { tap, catchUp, onCompaction, trim, corruption } = store;
    if (tap && catchUp) {
      // Values of other processes may need a key that must be fetched first. Reads wait for that with `catchUp`.
      const taps = new PreparedTaps((batch) => this.#prepareBatch(batch));
      tap.call(store, (batch) => taps.receive(this.#decryptLazily(batch)));
      this.tap = (listener) => taps.add(listener);
      this.catchUp = () => catchUp.call(store)?.then(() => taps.delivered()) ?? taps.delivered();
    } else if (tap) this.tap = (listener) => tap.call(store, (batch) => listener(this.#decryptLazily(batch)));
    if (onCompaction) this.onCompaction = onCompaction.bind(store);
    if (trim) this.trim = trim.bind(store);
    if (corruption) this.corruption = corruption.bind(store);
  }

  async get(key: string): Promise<Entry | undefined> {
    const entry = await this.#store.get(key);
    return entry && this.#read(entry);
  }

  async list(prefix: string, options?: StoreListOptions): Promise<Page> {
    const page = await this.#store.list(prefix, { ...options, lazyValues: false });
    try {
      return { ...page, entries: await this.#readAll(page.entries) };
    } catch (error) {
      throw error instanceof UnreadableValue ? inList(error) : error;
    }
  }

  async #readAll(sealed: readonly Entry[]): Promise<readonly Entry[]> {
    const slice = new TimeSlice();
    const entries: Entry[] = [];
    for (const entry of sealed) {
      const read = this.#read(entry);
      entries.push(read instanceof Promise ? await read : read);
      if (slice.over) await slice.rest();
    }
    return entries;
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    return this.#write(key, value, (sealed) => this.#store.create(key, sealed, options));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    return this.#write(key, value, (sealed) => this.#store.update(key, sealed, expected, options));
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    return this.#store.delete(key, expected, options).catch((error) => this.#decryptError(error));
  }

  async *watch(prefix: string, from: number, signal: AbortSignal): AsyncGenerator<Batch, void, undefined> {
    for await (const batch of this.#store.watch(prefix, from, signal)) {
      const lazy = this.#decryptLazily(batch);
      await this.#prepareBatch(lazy, true);
      yield lazy;
    }
  }

  /** Undefined if no key is missing. Watch caches, which use the tap, have the previous values. */
  #prepareBatch({ changes }: Batch, withPrevious = false): Promise<void> | undefined {
    const entries = changes.flatMap(({ entry, previous }) => (withPrevious && previous ? [entry, previous] : [entry]));
    const waits = entries.flatMap(waitsFor);
    return waits.length > 0 ? this.#waitBriefly(Promise.all(waits)) : undefined;
  }

  /**
   * Bounds the wait for a KMS, because other resources share the watch. A cache that misses a value lists again and waits
   * there.
   */
  #waitBriefly(work: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(WATCH_WAIT_MS, resolve);
      work.finally(() => {
        cancel();
        resolve();
      });
    });
  }

  async isStale(key: string): Promise<boolean> {
    const entry = await this.#store.get(key);
    if (!entry) return false;
    await this.#prepare(entry);
    return this.#open(entry).stale;
  }

  revision(): Promise<number> {
    return this.#store.revision();
  }

  cancelledUnderWay(): Promise<void> | undefined {
    return this.#store.cancelledUnderWay();
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  ping(): Promise<void> {
    return this.#store.ping();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #write(key: string, value: Uint8Array, write: (sealed: Uint8Array) => Promise<Entry>): Promise<Entry> {
    const sealed = this.#seal(key, value);
    if (this.tap && sealed !== value) this.#writing.set(sealed, value);
    try {
      const { revision, created } = await write(sealed);
      return { key, value, revision, created };
    } catch (error) {
      return await this.#decryptError(error);
    } finally {
      this.#writing.delete(sealed);
    }
  }

  #seal(key: string, value: Uint8Array): Uint8Array {
    try {
      return this.#transformerOf(key).seal(value, Buffer.from(key));
    } catch (error) {
      throw new EncryptionFailed(key, error);
    }
  }

  /** Rethrows the error; the entry of a Mismatch is decrypted first. */
  async #decryptError(error: unknown): Promise<never> {
    if (!(error instanceof Mismatch) || !error.current) throw error;
    throw new Mismatch(error.key, await this.#read(error.current));
  }

  #read(entry: Entry): Entry | Promise<Entry> {
    if (entry instanceof CorruptEntry) return entry;
    const transformer = this.#transformerOf(entry.key);
    if (transformer === identityTransformer && !isEncrypted(entry.value)) return entry;
    const opened = () => ({ ...entry, value: this.#open(entry).value });
    return this.#prepare(entry)?.then(opened) ?? opened();
  }

  #prepare(entry: Entry): Promise<void> | undefined {
    if (entry instanceof CorruptEntry) return undefined;
    const { key, value } = entry;
    const transformer = this.#transformerOf(key);
    const refreshing = transformer.knows?.(value) === false ? this.#refresh?.() : undefined;
    if (!refreshing) return transformer.prepare?.(value);
    return refreshing.then(() => this.#transformerOf(key).prepare?.(value));
  }

  #open({ key, value, revision }: Entry): Opened {
    try {
      return this.#transformerOf(key).open(value, Buffer.from(key));
    } catch (error) {
      throw new UnreadableValue(key, revision, error);
    }
  }

  /** Values are decrypted on first access, so one that cannot be decrypted affects only its readers. */
  #decryptLazily(batch: Batch): Batch {
    return { revision: batch.revision, changes: batch.changes.map((change) => this.#lazyChange(change)) };
  }

  #lazyChange({ type, entry, previous }: Change): Change {
    return { type, entry: this.#lazyEntry(entry), previous: previous && this.#lazily(previous) };
  }

  #lazyEntry(entry: Entry): Entry {
    if (entry instanceof CorruptEntry) return entry;
    if (this.#transformerOf(entry.key) === identityTransformer && !isEncrypted(entry.value)) return entry;
    const plain = this.#writing.get(entry.value);
    return plain ? { ...entry, value: plain } : this.#lazily(entry);
  }

  #lazily(entry: Entry): Entry {
    if (entry instanceof CorruptEntry) return entry;
    return new LazyEntry(
      entry,
      () => this.#open(entry).value,
      () => this.#prepare(entry),
    );
  }
}

/** Errors of a list name the key, as in kube-apiserver. */
function inList({ key, revision, reason, cause }: UnreadableValue): UnreadableValue {
  const named = new Error(`unable to transform key ${JSON.stringify(key)}: ${reason}`, { cause });
  return new UnreadableValue(key, revision, named);
}

function waitsFor(entry: Entry): Promise<void>[] {
  const wait = entry instanceof LazyEntry ? entry.prepare() : undefined;
  return wait ? [wait] : [];
}

/** Decrypts its value on first access, which throws UnreadableValue if that fails. */
class LazyEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  /** Fetches the key of the value, if it is missing. */
  readonly prepare: () => Promise<void> | undefined;
  readonly #open: () => Uint8Array;
  #value: Uint8Array | undefined;

  constructor({ key, revision, created }: Entry, open: () => Uint8Array, prepare: () => Promise<void> | undefined) {
    this.key = key;
    this.revision = revision;
    this.created = created;
    this.#open = open;
    this.prepare = prepare;
  }

  get value(): Uint8Array {
    this.#value ??= this.#open();
    return this.#value;
  }
}
