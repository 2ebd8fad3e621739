import { setTimeout as pause } from 'node:timers/promises';
import { channelBackoff } from '../grpc/channel.ts';
import { type Batch, type Change, Compacted } from '../store.ts';
import type { EtcdLogger } from './options.ts';
import { type Position, Progress, progressIsOrdered } from './progress.ts';
import type { EtcdClient } from './rpc/client.ts';
import { memberStatusMethod } from './rpc/cluster.ts';
import { isTransient } from './rpc/errors.ts';
import { ALL_KEYS, prefixRange } from './rpc/kv.ts';
import { ServerWatch, WatchDenied } from './rpc/server-watch.ts';
import type { EtcdWatchEvent, WatchResponse } from './rpc/watch.ts';

interface EtcdWatchesOptions {
  readonly client: EtcdClient;
  /** The newest revision, linearizable. */
  readonly newest: () => Promise<number>;
  readonly logger: EtcdLogger | undefined;
}

interface WatchState {
  readonly prefix: string;
  readonly position: Position;
  readonly signal: AbortSignal;
}

type Batches = AsyncGenerator<Batch, void, undefined>;

/** etcd's revisions start at 1, which no write has. */
const FIRST_REVISION = 1;

/** The watches of an etcd store. Each resumes at its position when its connection or member is lost. */
export class EtcdWatches {
  readonly #client: EtcdClient;
  readonly #newest: () => Promise<number>;
  readonly #logger: EtcdLogger | undefined;
  readonly #endings = new Set<AbortController>();
  readonly #progress = new Set<Progress>();
  #mayReadEverything = true;

  constructor({ client, newest, logger }: EtcdWatchesOptions) {
    this.#client = client;
    this.#newest = newest;
    this.#logger = logger;
  }

  /** A client has seen this revision: all watches must report having reached it, even those with no change in it. */
  reach(revision: number): void {
    for (const progress of this.#progress) progress.reach(revision);
  }

  end(): void {
    for (const ending of this.#endings) ending.abort();
  }

  async *follow(prefix: string, from: number, signal: AbortSignal): Batches {
    const position = { revision: Math.max(from - 1, FIRST_REVISION), delivered: 0 };
    const ending = new AbortController();
    const abort = () => ending.abort();
    signal.addEventListener('abort', abort);
    if (signal.aborted || this.#client.closed) abort();
    this.#endings.add(ending);
    try {
      yield* this.#resume({ prefix, position, signal: ending.signal });
    } finally {
      abort();
      this.#endings.delete(ending);
      signal.removeEventListener('abort', abort);
    }
  }

  async *#resume(state: WatchState): Batches {
    const { prefix, position, signal } = state;
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        for await (const batch of this.#connect(state)) {
          failures = 0;
          yield batch;
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#checkResumable(error);
        if (failures === 0) this.#logger?.warn('watch of etcd interrupted', { prefix, revision: position.revision, error });
      }
      await pause(channelBackoff(failures), undefined, { signal }).catch(() => {});
    }
  }

  #checkResumable(error: unknown): void {
    if (error instanceof WatchDenied && this.#mayReadEverything) this.#mayReadEverything = false;
    else if (error instanceof WatchDenied || !isTransient(error)) throw error;
  }

  async *#connect(state: WatchState): Batches {
    const { position, signal } = state;
    const newest = await this.#newest();
    checkHistory(position, newest);
    const { watch, ordered } = await this.#open(state, newest);
    const progress = ordered ? new Progress(position, () => watch.requestProgress()) : undefined;
    const cancel = () => watch.cancel();
    signal.addEventListener('abort', cancel);
    if (progress) this.#progress.add(progress);
    try {
      if (!signal.aborted) yield* this.#batches(watch, state, newest);
    } finally {
      if (progress) this.#progress.delete(progress);
      progress?.stop();
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  async *#batches(watch: ServerWatch, { prefix, position }: WatchState, newest: number): Batches {
    for await (const response of watch.responses()) {
      if (response.created) {
        if (position.revision >= newest) yield { changes: [], revision: newest };
        else this.reach(newest);
      } else {
        const batch = advance(position, prefix, response);
        if (batch) yield batch;
      }
    }
  }

  async #open(
    { prefix, position }: WatchState,
    newest: number,
  ): Promise<{ readonly watch: ServerWatch; readonly ordered: boolean }> {
    const deadline = performance.now() + this.#client.timeoutMs;
    const member = await this.#client.members.ready(deadline);
    const { version } = await member.call(memberStatusMethod, undefined, await this.#client.metadata(), deadline);
    const ordered = progressIsOrdered(version);
    const range = ordered || !this.#mayReadEverything ? prefixRange(prefix) : ALL_KEYS;
    return { watch: await ServerWatch.open(this.#client, member, range, startOf(position, newest)), ordered };
  }
}

/** A backup was restored: revisions that watchers have seen no longer exist. */
function checkHistory({ delivered }: Position, newest: number): void {
  if (newest < delivered) throw new Compacted(newest + 1);
}

/**
 * A watcher that replays history starts one revision early. etcd accepts a start at the compacted revision itself, although
 * deletes of that revision are gone, but rejects the revision before it.
 */
function startOf({ revision }: Position, newest: number): number {
  return revision < newest ? revision : revision + 1;
}

/** Returns the new changes of a response, if any, and advances the position. A resumed watcher repeats the last revision. */
export function advance(position: Position, prefix: string, { events, revision }: WatchResponse): Batch | undefined {
  const reached = events.at(-1)?.entry.revision ?? revision;
  if (reached <= position.revision) return undefined;
  const changes = events.filter(({ entry }) => entry.revision > position.revision && entry.key.startsWith(prefix)).map(changeOf);
  position.revision = reached;
  position.delivered = reached;
  return { changes, revision: reached };
}

/** etcd looks up the previous value when it sends the event. If it has been compacted by then, the watch is too far behind. */
function changeOf(event: EtcdWatchEvent): Change {
  const { type, entry, previous } = event;
  if (type === 'put' && entry.created === entry.revision) return event;
  if (!previous) throw new Compacted(entry.revision + 1);
  return type === 'put' ? event : { type, entry: { ...previous, revision: entry.revision }, previous };
}
