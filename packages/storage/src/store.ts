/**
 * What every store promises: etcd's semantics and nothing more. One revision counter numbers all writes of the
 * store; each successful write takes the next number. A write that was acknowledged survives the death of the process.
 */
export interface Store {
  /** The newest revision, linearizable: no write acknowledged before the call is newer. */
  revision(): Promise<number>;

  /** The newest value of a key, or undefined. Linearizable. */
  get(key: string): Promise<Entry | undefined>;

  /**
   * The entries below a prefix in ascending key order (bytewise). Linearizable unless `revision` asks for the past.
   * Fails with Compacted if that revision is gone, with FutureRevision if it is not there yet.
   */
  list(prefix: string, options?: StoreListOptions): Promise<Page>;

  /** Writes a key that must not exist. Fails with KeyExists. Never mutates `value`; the caller must not either, from now on. */
  create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry>;

  /** Replaces the value of a key whose newest revision is `expected`. Fails with Mismatch, which carries what was found. */
  update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry>;

  /** Removes a key whose newest revision is `expected`. Gives the revision of the removal. Fails with Mismatch. */
  delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number>;

  /**
   * Resolves once the outcome of every write is known that was cancelled too late, when its transaction had begun.
   * Undefined if there is none. A read that follows never precedes such a write.
   */
  cancelledUnderWay(): Promise<void> | undefined;

  /**
   * Every change below a prefix with a revision of at least `from`, in order, with no gap and no repeat, until the
   * signal aborts. When all changes up to the revision that was newest at the call have been delivered, the watch
   * yields a batch (possibly empty) whose `revision` is at least that one; later batches follow as writes happen.
   * Fails with Compacted if `from` is gone. A batch never splits a revision.
   */
  watch(prefix: string, from: number, signal: AbortSignal): AsyncIterable<Batch>;

  /**
   * Only stores that live in this process have it: calls the listener with every batch, in order, before any write in
   * that batch is acknowledged, until the returned function is called. A cache fed this way is never behind.
   */
  tap?(listener: (batch: Batch) => void): () => void;

  /**
   * Only stores that live in this process have it: the value that a revision wrote for a key, at once, as long as that is
   * the newest of the key or the history holds it. What can be had this way need not be kept in memory. Throws CorruptValue.
   */
  valueAt?(revision: number, key: string): Uint8Array;

  /**
   * Only stores that encrypt values have it: whether the value of a key would be stored differently if it was written
   * now, with another key or provider. An update that changes nothing is then written nevertheless.
   */
  isStale?(key: string): Promise<boolean>;

  /** Forgets history up to and including a revision: what was overwritten or removed by then. Newest values stay. */
  compact(revision: number): Promise<void>;

  /**
   * Only stores that map their data into memory have it: lets go of what was mapped, to be read again when it is wanted.
   * Disturbs nobody: while a read is under way that would be, nothing happens.
   */
  trim?(): Promise<void>;

  /** Only stores that check what they read have it: the damage that reads have found so far and no write has replaced. */
  corruption?(): Corruption;

  /** Fails if the store cannot take writes now, with NoSpace if it is full. Cheap enough for a health check. */
  ping(): Promise<void>;

  /** Ends all watches and waits for writes under way. */
  close(): Promise<void>;
}

/** The value of a key at a revision. Immutable. */
export interface Entry {
  readonly key: string;
  /** Throws CorruptValue if what is stored is not what was written. */
  readonly value: Uint8Array;
  /** The revision that wrote this value. */
  readonly revision: number;
  /** The revision that created the key. */
  readonly created: number;
}

export interface StoreListOptions {
  /** At most this many entries; 0 or absent for all. */
  readonly limit?: number;
  /** Start at this key (inclusive) instead of at the prefix. */
  readonly from?: string;
  /** The state at this revision instead of the newest. */
  readonly revision?: number;
}

export interface Page {
  readonly entries: readonly Entry[];
  /** The revision of the store that this page shows. */
  readonly revision: number;
  /** Whether entries follow the last one. */
  readonly more: boolean;
  /** How many entries there are from the first of this page to the end of the prefix. */
  readonly count: number;
}

export interface StoreDeleteOptions {
  /** Evaluated when the transaction is formed. A write that is cancelled by then is not made, and fails with Cancelled. */
  readonly isCancelled?: (() => boolean) | undefined;
}

export interface StoreWriteOptions extends StoreDeleteOptions {
  /** The key removes itself, with a change that watchers see, about this many seconds after the write. */
  readonly ttlSeconds?: number | undefined;
}

export interface Change {
  readonly type: 'put' | 'delete';
  /** The entry written; for a removal the last entry, with the revision of the removal. */
  readonly entry: Entry;
  /**
   * What the key held before, with its own revision; undefined if it did not exist. Known even where that older
   * revision has been compacted: watchers with a selector need it to tell what an object was.
   */
  readonly previous: Entry | undefined;
}

export interface Batch {
  readonly changes: readonly Change[];
  /** All changes up to this revision have been delivered. */
  readonly revision: number;
}

/** What a store knows to be damaged. */
export interface Corruption {
  /** How many keys have a value that cannot be read. */
  readonly count: number;
}

/** The stored value of a key is not what was written, or cannot be decrypted. */
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

/** An entry whose value is damaged. It can be listed and deleted by its key and revision, and nothing else. */
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

/** The same entry under another revision, as a removal shows it. */
export function withRevision(entry: Entry, revision: number): Entry {
  return entry instanceof CorruptEntry ? new CorruptEntry(revision, entry.created, entry.error) : { ...entry, revision };
}

/** The key to write exists already. */
export class KeyExists extends Error {
  override readonly name = 'KeyExists';
  readonly key: string;
  constructor(key: string) {
    super(`key exists: ${key}`);
    this.key = key;
  }
}

/** The key is not at the revision the caller expected. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch';
  readonly key: string;
  /** What the key holds; undefined if it does not exist. */
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

/** The history asked for has been compacted. */
export class Compacted extends Error {
  override readonly name = 'Compacted';
  /** The oldest revision that can still be asked for. */
  readonly oldest: number;
  constructor(oldest: number) {
    super(`revisions before ${oldest} have been compacted`);
    this.oldest = oldest;
  }
}

/** The revision asked for does not exist yet. */
export class FutureRevision extends Error {
  override readonly name = 'FutureRevision';
  readonly current: number;
  constructor(current: number) {
    super(`the newest revision is ${current}`);
    this.current = current;
  }
}

/** The store cannot be reached, or has been closed. Whether the write took place is unknown unless `unwritten`. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly unwritten: boolean;
  constructor(message: string, options?: { readonly cause?: unknown; readonly unwritten?: boolean }) {
    super(message, options);
    this.unwritten = options?.unwritten ?? false;
  }
}

/** The stored value of a key cannot be decrypted or decoded. The reason may be shown to clients. */
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

/** The value could not be encrypted. Nothing was written. The reason may be shown to clients. */
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

/** The disk, or the quota of etcd, is full. Nothing was written. */
export class NoSpace extends Unavailable {
  constructor(options?: { readonly cause?: unknown; readonly message?: string }) {
    super(options?.message ?? 'mvcc: database space exceeded', { cause: options?.cause, unwritten: true });
  }
}

/** The value does not fit into a request that etcd takes: by default 1.5 MiB for the value, the key and some framing. */
export class RequestTooLarge extends Error {
  override readonly name = 'RequestTooLarge';
  constructor() {
    super('the value is larger than etcd takes (see its --max-request-bytes)');
  }
}
