import { type Batch, type Change, Compacted, type Store } from '@tsukube/storage';

export interface FeedListener {
  readonly prefix: string;
  /** Changes below the prefix, in order. Not called for batches without any. */
  onChanges(changes: readonly Change[]): void;
  /** Changes were lost and cannot be replayed. */
  onGap(): void;
  /** History up to a revision is about to be compacted. */
  onCompaction?(revision: number): void;
}

export interface Feed {
  /** Every change up to this revision has reached the listeners. */
  readonly revision: number;
  listen(listener: FeedListener): () => void;
  /**
   * Resolves to true when all writes acknowledged before the call have reached the listeners, to false after a timeout.
   * Undefined if they have already.
   */
  caughtUp(): Promise<boolean> | undefined;
  /** Raised when a write is cancelled; `caughtUp` waits until it is lowered. */
  readonly fence: WriteFence;
  /** Notifies listeners before the store compacts, since they may need to read values again. */
  compact(revision: number): void;
  close(): void;
}

/** One ordered stream of changes from the store, for all caches. */
export async function openFeed(store: Store, prefix: string, onError: (error: unknown) => void): Promise<Feed> {
  return store.tap ? new LocalFeed(store, await store.revision(), onError) : RemoteFeed.open(store, prefix, onError);
}

class Dispatcher {
  revision: number;
  readonly #onError: (error: unknown) => void;
  readonly #listeners = new Map<string, Set<FeedListener>>();

  constructor(revision: number, onError: (error: unknown) => void) {
    this.revision = revision;
    this.#onError = onError;
  }

  listen(listener: FeedListener): () => void {
    const { prefix } = listener;
    const listeners = this.#listeners.get(prefix) ?? new Set();
    this.#listeners.set(prefix, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(prefix);
    };
  }

  deliver(batch: Batch): void {
    this.revision = Math.max(this.revision, batch.revision);
    const groups = new Map<FeedListener, Change[]>();
    for (const change of batch.changes) this.#sort(change, groups);
    for (const [listener, changes] of groups) this.#tell(listener, changes);
  }

  /** A listener that throws gets a gap and lists again. The others are not affected. */
  #tell(listener: FeedListener, changes: readonly Change[]): void {
    try {
      listener.onChanges(changes);
    } catch (error) {
      this.#onError(error);
      listener.onGap();
    }
  }

  /** Listener prefixes are empty or end with a slash, so only those prefixes of the key are looked up. */
  #sort(change: Change, groups: Map<FeedListener, Change[]>): void {
    const { key } = change.entry;
    append(groups, this.#listeners.get(''), change);
    for (let slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      append(groups, this.#listeners.get(key.slice(0, slash + 1)), change);
    }
  }

  gap(): void {
    for (const listener of this.#all()) listener.onGap();
  }

  compact(revision: number): void {
    for (const listener of this.#all()) listener.onCompaction?.(revision);
  }

  #all(): FeedListener[] {
    return [...this.#listeners.values()].flatMap((listeners) => [...listeners]);
  }
}

function append(groups: Map<FeedListener, Change[]>, listeners: Iterable<FeedListener> | undefined, change: Change): void {
  if (!listeners) return;
  for (const listener of listeners) {
    const group = groups.get(listener);
    if (group) group.push(change);
    else groups.set(listener, [change]);
  }
}

/**
 * The feed of an in-process store, which delivers changes before it acknowledges writes: the feed is never behind. If other
 * processes have the store open too, each read first asks the store for their writes.
 */
class LocalFeed implements Feed {
  readonly fence: WriteFence;
  readonly #dispatcher: Dispatcher;
  readonly #untap: () => void;
  readonly #unlisten: (() => void) | undefined;
  readonly #catchUp: Store['catchUp'];

  constructor(store: Store, revision: number, onError: (error: unknown) => void) {
    this.fence = new WriteFence(store);
    this.#dispatcher = new Dispatcher(revision, onError);
    this.#untap = (store.tap as NonNullable<Store['tap']>).call(store, (batch) => this.#dispatcher.deliver(batch));
    this.#unlisten = store.onCompaction?.((revision) => this.#dispatcher.compact(revision));
    this.#catchUp = store.catchUp?.bind(store);
  }
  get revision(): number {
    return this.#dispatcher.revision;
  }
  listen(listener: FeedListener): () => void {
    return this.#dispatcher.listen(listener);
  }
  caughtUp(): Promise<boolean> | undefined {
    const { lowered } = this.fence;
    if (lowered) return lowered.then(() => this.#othersDelivered() ?? true);
    return this.#catchUp === undefined ? undefined : this.#othersDelivered();
  }
  #othersDelivered(): Promise<boolean> | undefined {
    return this.#catchUp?.()?.then(() => true);
  }
  compact(revision: number): void {
    this.#dispatcher.compact(revision);
  }
  close(): void {
    this.#untap();
    this.#unlisten?.();
  }
}

const retryDelayMs = 200;
const catchUpTimeoutMs = 1000;

/** The feed of a remote store, which is watched. Reads first fetch the newest revision and wait for it. */
class RemoteFeed implements Feed {
  readonly fence: WriteFence;
  readonly #store: Store;
  readonly #prefix: string;
  readonly #dispatcher: Dispatcher;
  readonly #abort = new AbortController();
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Set<{ readonly revision: number; readonly resolve: (reached: boolean) => void }>();
  #asking: Promise<number> | undefined;
  #askingNext: Promise<number> | undefined;

  static async open(store: Store, prefix: string, onError: (error: unknown) => void): Promise<RemoteFeed> {
    const feed = new RemoteFeed(store, prefix, await store.revision(), onError);
    void feed.#run();
    return feed;
  }

  private constructor(store: Store, prefix: string, revision: number, onError: (error: unknown) => void) {
    this.fence = new WriteFence(store);
    this.#store = store;
    this.#prefix = prefix;
    this.#dispatcher = new Dispatcher(revision, onError);
    this.#onError = onError;
  }

  get revision(): number {
    return this.#dispatcher.revision;
  }

  listen(listener: FeedListener): () => void {
    return this.#dispatcher.listen(listener);
  }

  async caughtUp(): Promise<boolean> {
    if (this.fence.lowered) await this.fence.lowered;
    const newest = await this.#newestRevision();
    return this.revision >= newest || this.#reach(newest);
  }

  compact(revision: number): void {
    this.#dispatcher.compact(revision);
  }

  /** Revisions of other prefixes of the same etcd are only seen with the next progress notification. */
  #reach(revision: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(false), catchUpTimeoutMs);
      const done = (reached: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(wait);
        resolve(reached);
      };
      const wait = { revision, resolve: done };
      this.#waiting.add(wait);
    });
  }

  close(): void {
    this.#abort.abort();
    for (const wait of this.#waiting) wait.resolve(false);
  }

  /** Callers share a request that has not been sent yet; a request in flight may have an older answer. */
  #newestRevision(): Promise<number> {
    if (!this.#asking) {
      this.#asking = this.#ask();
      return this.#asking;
    }
    this.#askingNext ??= this.#asking.then(
      () => this.#ask(),
      () => this.#ask(),
    );
    return this.#askingNext;
  }

  #ask(): Promise<number> {
    this.#askingNext = undefined;
    const question = this.#store.revision().finally(() => {
      if (this.#asking === question) this.#asking = undefined;
    });
    this.#asking = question;
    return question;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        for await (const batch of this.#store.watch(this.#prefix, this.revision + 1, signal)) {
          this.#dispatcher.deliver(batch);
          this.#wake();
        }
      } catch (error) {
        if (error instanceof Compacted) await this.#restart();
        else this.#onError(error);
      }
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }

  async #restart(): Promise<void> {
    const revision = await this.#store.revision().catch(() => this.revision);
    this.#dispatcher.revision = Math.max(this.revision, revision);
    this.#dispatcher.gap();
    this.#wake();
  }

  #wake(): void {
    for (const wait of this.#waiting) if (wait.revision <= this.revision) wait.resolve(true);
  }
}

/**
 * Orders reads after writes that were cancelled too late to be stopped. Without the fence, a read could be answered before such a
 * write and show a state that the write then changes.
 */
export class WriteFence {
  readonly #store: Pick<Store, 'cancelledUnderWay'>;
  #lowered: Promise<void> | undefined;

  constructor(store: Pick<Store, 'cancelledUnderWay'>) {
    this.#store = store;
  }

  /** Resolves when reads may proceed; undefined if they may now. Never rejects. */
  get lowered(): Promise<void> | undefined {
    return this.#lowered;
  }

  /** Called at every cancellation: holds new reads until the cancelled writes in progress have settled. */
  raise(): void {
    const settled = this.#store.cancelledUnderWay();
    if (!settled) return;
    const before = this.#lowered;
    const lowered = Promise.allSettled([before, settled]).then(() => {
      if (this.#lowered === lowered) this.#lowered = undefined;
    });
    this.#lowered = lowered;
  }
}
