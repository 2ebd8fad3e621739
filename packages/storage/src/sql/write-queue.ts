import { checkKey } from '../keys.ts';
import { Unavailable } from '../store.ts';
import type { Attempt } from './write-group.ts';

const MAX_GROUP = { writes: 500, bytes: 4 * 2 ** 20 };
const MAX_WAITING = { writes: 20_000, bytes: 256 * 2 ** 20 };

/** Writes that wait for their transaction, limited in number and size. */
export class WriteQueue {
  readonly #waiting: Attempt[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Throws Unavailable if the queue is full, RangeError if the key is invalid. */
  add(attempt: Attempt): void {
    checkKey(attempt.key);
    if (attempt.key.includes('\0')) throw new RangeError('a key must not contain NUL');
    const bytes = sizeOf(attempt);
    if (this.#waiting.length >= MAX_WAITING.writes || this.#bytes + bytes > MAX_WAITING.bytes)
      throw new Unavailable('too many writes are waiting for the database', { unwritten: true });
    this.#waiting.push(attempt);
    this.#bytes += bytes;
  }

  /** Takes as many writes as one transaction may have, in order, at least one. */
  takeGroup(): Attempt[] {
    let bytes = 0;
    let count = 0;
    for (const attempt of this.#waiting) {
      bytes += sizeOf(attempt);
      if (count > 0 && (count === MAX_GROUP.writes || bytes > MAX_GROUP.bytes)) break;
      count++;
    }
    const group = this.#waiting.splice(0, count);
    for (const attempt of group) this.#bytes -= sizeOf(attempt);
    return group;
  }

  /** Rejects the writes whose time is over. */
  expire(error: Unavailable): void {
    const kept = unexpired(this.#waiting, error);
    if (kept.length === this.#waiting.length) return;
    this.#waiting.splice(0, this.#waiting.length, ...kept);
    this.#bytes = kept.reduce((sum, attempt) => sum + sizeOf(attempt), 0);
  }
}

function sizeOf({ value }: Attempt): number {
  return value?.length ?? 0;
}

/** Rejects the writes whose time is over and returns the others. */
export function unexpired(attempts: readonly Attempt[], error: Unavailable): readonly Attempt[] {
  const now = performance.now();
  return attempts.filter((attempt) => {
    if (attempt.deadline > now) return true;
    attempt.reject(error);
    return false;
  });
}
