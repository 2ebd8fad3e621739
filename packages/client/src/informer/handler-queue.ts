import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ApiObject, keyOf } from '../rest/api-object.ts';

/** Functions called for changes, one at a time; a returned promise is awaited. */
export interface InformerHandler<T> {
  readonly onAdd?: (object: T) => unknown;
  readonly onUpdate?: (object: T, old: T) => unknown;
  /** With the last known state. */
  readonly onDelete?: (object: T) => unknown;
}

/** `known`: the state the handler saw last. `latest`: the state it does not know yet; undefined after a deletion. */
interface Pending<T> {
  readonly known: T | undefined;
  latest: T | undefined;
  /** State at the deletion. */
  deleted: T | undefined;
}

/** A handler that takes longer than this gives way to other work. */
const sliceMs = 5;

/**
 * Changes that a handler has not received yet, at most one for each object: a handler that is slow sees fewer intermediate
 * states, never a wrong order. An object that was deleted and created again meanwhile is deleted and added.
 */
export class HandlerQueue<T extends ApiObject> {
  readonly #handler: InformerHandler<T>;
  readonly #onError: (error: unknown) => void;
  readonly #pending = new Map<string, Pending<T>>();
  #isRunning = false;
  #isStopped = false;

  constructor(handler: InformerHandler<T>, onError: (error: unknown) => void) {
    this.#handler = handler;
    this.#onError = onError;
  }

  get length(): number {
    return this.#pending.size;
  }

  /** The object changed from `old` to `object`; undefined where it does not exist. */
  push(old: T | undefined, object: T | undefined, deleted?: T): void {
    if (this.#isStopped) return;
    const key = keyOf((object ?? old) as T);
    const pending = this.#pending.get(key);
    if (pending === undefined) this.#pending.set(key, { known: old, latest: object, deleted });
    else {
      pending.latest = object;
      pending.deleted = deleted;
    }
    if (!this.#isRunning) this.#start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#pending.clear();
  }

  #start(): void {
    this.#isRunning = true;
    this.#run().catch(this.#onError);
  }

  async #run(): Promise<void> {
    await nextTurn();
    let began = performance.now();
    for (const [key, pending] of this.#pending) {
      this.#pending.delete(key);
      for (const call of this.#calls(pending)) await this.#guard(call);
      if (performance.now() - began < sliceMs) continue;
      await nextTurn();
      began = performance.now();
    }
    this.#isRunning = false;
  }

  *#calls({ known, latest, deleted }: Pending<T>): Generator<() => unknown> {
    const { onAdd, onUpdate, onDelete } = this.#handler;
    const isReplaced = known !== undefined && latest !== undefined && known.metadata.uid !== latest.metadata.uid;
    if (known !== undefined && (latest === undefined || isReplaced)) yield () => onDelete?.(deleted ?? known);
    if (latest === undefined) return;
    if (known === undefined || isReplaced) yield () => onAdd?.(latest);
    else yield () => onUpdate?.(latest, known);
  }

  async #guard(call: () => unknown): Promise<void> {
    try {
      const result = call();
      if (result instanceof Promise) await result;
    } catch (error) {
      this.#onError(error);
    }
  }
}
