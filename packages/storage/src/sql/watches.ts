import { setTimeout as pause } from 'node:timers/promises';
import { type Batch, Compacted, FutureRevision } from '../store.ts';
import { TimeSlice } from '../time-slice.ts';
import { since } from '../watches.ts';
import type { SqlLogger } from './dialect.ts';
import { backoff } from './failures.ts';
import type { SqlLog, SqlState } from './log.ts';

interface WatchPosition {
  next: number;
  readonly generation: number;
  wake: (() => void) | undefined;
}

type Batches = AsyncGenerator<Batch, void, undefined>;

/** The watches of a store. Each pulls from the log at its own position, so nothing is queued for slow ones. */
export class SqlWatches {
  readonly #log: SqlLog;
  readonly #readState: () => Promise<SqlState>;
  readonly #logger: SqlLogger | undefined;
  readonly #open = new Set<WatchPosition>();
  readonly #endings = new Set<AbortController>();
  #ended = false;

  constructor(log: SqlLog, state: () => Promise<SqlState>, logger: SqlLogger | undefined) {
    this.#log = log;
    this.#readState = state;
    this.#logger = logger;
  }

  /** Call whenever the log has grown. */
  wake(): void {
    for (const position of this.#open) position.wake?.();
  }

  /** Ends all current and future watches. */
  end(): void {
    this.#ended = true;
    for (const ending of this.#endings) ending.abort();
  }

  async *follow(prefix: string, from: number, caller: AbortSignal): Batches {
    const ending = new AbortController();
    const abort = () => ending.abort();
    if (caller.aborted || this.#ended) return;
    caller.addEventListener('abort', abort);
    this.#endings.add(ending);
    try {
      yield* this.#start(prefix, from, ending.signal);
    } finally {
      this.#endings.delete(ending);
      caller.removeEventListener('abort', abort);
    }
  }

  async *#start(prefix: string, from: number, signal: AbortSignal): Batches {
    const start = await this.#untilRead(() => this.#begin(from), signal, prefix);
    if (!start) return;
    const position: WatchPosition = { next: start.next, generation: this.#log.generation, wake: undefined };
    signal.addEventListener('abort', () => position.wake?.());
    this.#open.add(position);
    try {
      if (position.next > start.newest) yield { changes: [], revision: start.newest };
      yield* this.#batches(position, prefix, from, signal);
    } finally {
      this.#open.delete(position);
    }
  }

  async #begin(from: number): Promise<{ readonly next: number; readonly newest: number }> {
    const { newest, compacted } = await this.#readState();
    const next = Math.min(Math.max(from, 1), newest + 1);
    if (next <= compacted) throw new Compacted(compacted + 1);
    this.#log.reach(newest);
    return { next, newest };
  }

  async *#batches(position: WatchPosition, prefix: string, from: number, signal: AbortSignal): Batches {
    const slice = new TimeSlice();
    while (!signal.aborted) {
      if (position.generation !== this.#log.generation) throw new Compacted(this.#log.newest + 1);
      if (position.next > this.#log.newest) await this.#growth(position, slice);
      else if (slice.over) await slice.rest();
      else {
        const batch = await this.#untilRead(async () => this.#log.page(position.next, prefix), signal, prefix);
        if (!batch || position.generation !== this.#log.generation) continue;
        position.next = batch.revision + 1;
        yield since(batch, from);
      }
    }
  }

  async #growth(position: WatchPosition, slice: TimeSlice): Promise<void> {
    await new Promise<void>((resolve) => {
      position.wake = resolve;
    });
    position.wake = undefined;
    slice.begin();
  }

  /** Repeats a read until the database answers. Undefined if the watch ends first. */
  async #untilRead<T>(read: () => Promise<T>, signal: AbortSignal, prefix: string): Promise<T | undefined> {
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        return await read();
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof Compacted || error instanceof FutureRevision) throw error;
        if (failures === 0) this.#logger?.warn('watch of the database interrupted', { prefix, error: String(error) });
        await pause(backoff(failures), undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }
}
