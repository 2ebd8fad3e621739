/**
 * The storage contract: etcd's semantics. One revision counter numbers all writes of the store; every successful write gets the
 * next revision. An acknowledged write survives a crash of the process.
 */
export interface Store {
  /** Returns the newest revision. Linearizable: not older than any write acknowledged before the call. */
  revision(): Promise<number>;

  /** Returns the newest value of a key, or undefined if the key does not exist. Linearizable. */
  get(key: string): Promise<Entry | undefined>;

  /**
   * Lists the entries with a prefix in bytewise key order. Linearizable, unless `revision` asks for an older state. Rejects
   * with Compacted if that revision has been compacted, with FutureRevision if it does not exist yet.
   */
  list(prefix: string, options?: StoreListOptions): Promise<Page>;

  /** Creates a key. Rejects with KeyExists. Never mutates `value`; the caller must not mutate it after the call either. */
  create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry>;

  /**
   * Compare-and-swap: replaces the value if the key is at revision `expected`. Rejects with Mismatch, which carries the current
   * entry. Never mutates `value`; the caller must not mutate it after the call either.
   */
  update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry>;

  /**
   * Compare-and-delete: removes the key if it is at revision `expected`. Returns the revision of the delete. Rejects with
   * Mismatch.
   */
  delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number>;

  /**
   * Returns a promise for all writes in flight that were cancelled after their transaction began; it resolves when their
   * outcome is known. Undefined if there are none. A read started after it resolves sees every such write that was committed.
   */
  cancelledUnderWay(): Promise<void> | undefined;

  /**
   * Watches the keys with a prefix from revision `from` (inclusive): every change in order, with no gap and no repeat, until
   * the signal aborts. Once all changes up to the revision that was newest at the call are delivered, the watch yields a batch
   * (possibly empty) whose `revision` is at least that one. Further batches follow as writes happen. Throws Compacted if `from`
   * has been compacted. A batch never splits a revision.
   */
  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch>;

  /**
   * Optional, for embedded stores: calls the listener with every batch, in order, before any write in the batch is
   * acknowledged. Returns a function that removes the listener. A cache fed this way is never behind the store.
   */
  tap?(listener: (batch: Batch) => void): () => void;

  /**
   * Optional, for embedded stores that several processes have open: delivers every change committed before the call, by any
   * process, to the taps. Undefined if they have been delivered already, or are when it returns.
   */
  catchUp?(): Promise<void> | undefined;

  /**
   * Optional, for stores that another process compacts: calls the listener before a revision is compacted, so that it can drop
   * what it could not read afterwards. Returns a function that removes the listener.
   */
  onCompaction?(listener: (revision: number) => void): () => void;

  /**
   * Optional, for embedded stores: synchronously returns the value that a revision wrote to a key, while that is the newest
   * value of the key or within the history. It is valid until anything else is read: callers that keep it make a copy. Values
   * that can be read this way need not be cached. Throws CorruptValue.
   */
  valueAt?(revision: number, key: string): Uint8Array;

  /**
   * Optional, for stores that encrypt: whether the value would be stored differently if written now (another key or provider).
   * An update that changes nothing is then written nevertheless.
   */
  isStale?(key: string): Promise<boolean>;

  /**
   * Compacts: discards overwritten and deleted values up to and including a revision. The newest values stay. Idempotent.
   * Rejects with FutureRevision if the revision does not exist yet.
   */
  compact(revision: number): Promise<void>;

  /**
   * Optional, for stores that map their file into memory: releases the mapped pages; they are read again on demand. Does
   * nothing while a read that would be disturbed is in flight.
   */
  trim?(): Promise<void>;

  /** Optional, for stores with checksums: corrupt values found by reads and not yet overwritten. */
  corruption?(): Corruption;

  /** Rejects if the store cannot accept writes, with NoSpace if it is full. Cheap enough for a health check. */
  ping(): Promise<void>;

  /** Ends all watches and waits for writes in flight. All other calls then reject with Unavailable. */
  close(): Promise<void>;
}

/** A key and its value at a revision. Immutable. */
export interface Entry {
  readonly key: string;
  /** Throws CorruptValue if the stored bytes fail their checksum. */
  readonly value: Uint8Array;
  /** The revision that wrote this value (etcd's mod_revision). */
  readonly revision: number;
  /** The revision that created the key (etcd's create_revision). */
  readonly created: number;
  /** The length of a value that has not been read. */
  readonly size?: number;
}

export interface StoreListOptions {
  /** Maximum number of entries; 0 or absent for no limit. */
  readonly limit?: number;
  /** First key to return (inclusive); at the prefix if absent. */
  readonly from?: string;
  /** Lists the state at this revision; at the newest one if absent. */
  readonly revision?: number;
  /**
   * For callers that look at each value once, or at few: a store with `valueAt` may verify them only, and read each when it is
   * accessed, as `valueAt` does. Entries whose value has not been read have a `size`. It must be accessed before a compaction.
   */
  readonly lazyValues?: boolean;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** The revision of the state that the page shows. */
  readonly revision: number;
  /** Whether the list continues after the last entry. */
  readonly more: boolean;
  /** Number of entries from the first of this page to the end of the prefix. */
  readonly count: number;
}

export interface StoreDeleteOptions {
  /** Checked when the transaction begins. A write cancelled by then is not made and rejects with Cancelled. */
  readonly isCancelled?: (() => boolean) | undefined;
}

export interface StoreWriteOptions extends StoreDeleteOptions {
  /** Time to live: the key is deleted about this many seconds after the write, and watchers see the delete. */
  readonly ttlSeconds?: number | undefined;
}

export interface Change {
  readonly type: 'put' | 'delete';
  /** The entry written. For a delete: the last entry, with the revision of the delete. */
  readonly entry: Entry;
  /**
   * The entry before the change, with its own revision; undefined if the key did not exist. Present even if that older revision
   * has been compacted, because watches with a selector need the previous state.
   */
  readonly previous: Entry | undefined;
}

export interface Batch {
  readonly changes: readonly Change[];
  /** All changes up to this revision have been delivered. */
  readonly revision: number;
}

/** Corruption found so far. */
export interface Corruption {
  /** Number of keys whose value cannot be read. */
  readonly count: number;
}

/** The stored value fails its checksum. */
export class CorruptValue extends Error {
  override readonly name = 'CorruptValue';
  readonly key: string;
  readonly revision: number;
  readonly problem: string;
  constructor(key: string, revision: number, problem: string, options?: ErrorOptions) {
    super(`the value of ${key} at revision ${revision} is damaged: ${problem}`, options);
    this.key = key;
    this.revision = revision;
    this.problem = problem;
  }
}

/** An entry with a corrupt value. It can be listed, and deleted by key and revision; reading `value` throws. */
export class CorruptEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly created: number;
  readonly error: CorruptValue;
  constructor(revision: number, created: number, error: CorruptValue) {
    this.key = error.key;
    this.revision = revision;
    this.created = created;
    this.error = error;
  }
  get value(): never {
    throw this.error;
  }
}

/** The same entry with another revision, as in the event of a delete. */
export function withRevision(entry: Entry, revision: number): Entry {
  return entry instanceof CorruptEntry ? new CorruptEntry(revision, entry.created, entry.error) : { ...entry, revision };
}

/** Create of a key that exists. */
export class KeyExists extends Error {
  override readonly name = 'KeyExists';
  readonly key: string;
  constructor(key: string) {
    super(`key exists: ${key}`);
    this.key = key;
  }
}

/** Compare-and-swap failed: the key is not at the expected revision. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly key: string;
  /** The current entry; undefined if the key does not exist. */
  readonly current: Entry | undefined;
  constructor(key: string, current: Entry | undefined) {
    super(`key ${key} is at revision ${current?.revision ?? 'none'}`);
    this.key = key;
    this.current = current;
  }
}

/** The write was cancelled before its transaction began. Nothing was written. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';
  constructor() {
    super('the write was cancelled');
  }
}

/** The requested revision has been compacted. */
export class Compacted extends Error {
  override readonly name = 'Compacted';
  /** The oldest revision still available. */
  readonly oldest: number;
  constructor(oldest: number) {
    super(`revisions before ${oldest} have been compacted`);
    this.oldest = oldest;
  }
}

/** The requested revision does not exist yet. */
export class FutureRevision extends Error {
  override readonly name = 'FutureRevision';
  readonly current: number;
  constructor(current: number) {
    super(`the newest revision is ${current}`);
    this.current = current;
  }
}

/** The store is unreachable or closed. Unless `unwritten` is set, a write may or may not have taken effect. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly unwritten: boolean;
  constructor(message: string, options?: { readonly cause?: unknown; readonly unwritten?: boolean }) {
    super(message, options);
    this.unwritten = options?.unwritten ?? false;
  }
}

/** The stored value cannot be decrypted or decoded. `reason` may be shown to clients. */
export class UnreadableValue extends Error {
  override readonly name = 'UnreadableValue';
  readonly key: string;
  readonly revision: number;
  readonly reason: string;
  constructor(key: string, revision: number, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the value of ${key} cannot be read: ${reason}`, { cause });
    this.key = key;
    this.revision = revision;
    this.reason = reason;
  }
}

/** The value could not be encrypted. Nothing was written. `reason` may be shown to clients. */
export class EncryptionFailed extends Error {
  override readonly name = 'EncryptionFailed';
  readonly key: string;
  readonly reason: string;
  constructor(key: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the value of ${key} cannot be encrypted: ${reason}`, { cause });
    this.key = key;
    this.reason = reason;
  }
}

/** The disk, or etcd's quota, is full. Nothing was written. */
export class NoSpace extends Unavailable {
  constructor(options?: { readonly cause?: unknown; readonly message?: string }) {
    super(options?.message ?? 'mvcc: database space exceeded', { cause: options?.cause, unwritten: true });
  }
}

/** The request exceeds etcd's limit: by default 1.5 MiB for value, key and framing. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
  constructor() {
    super('the value is larger than etcd takes (see its --max-request-bytes)');
  }
}
