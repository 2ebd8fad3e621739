import { compareKeys, firstKey } from '../keys.ts';
import type { Pointer } from './corrupt-values.ts';
import { prefixBounds } from './key-encodings.ts';
import { type Damaged, type Head, soundHead } from './records.ts';
import type { Snapshot } from './snapshot.ts';
import type { Tables } from './tables.ts';

const COUNT_AT_ONCE = 100_000;

/** The keys below a prefix, from a key on. */
export class KeyRange {
  readonly #prefix: string;
  readonly #first: string;

  constructor(prefix: string, from?: string) {
    this.#prefix = prefix;
    this.#first = firstKey(prefix, from);
  }

  get bounds(): ReturnType<typeof prefixBounds> {
    return prefixBounds(this.#prefix, this.#first);
  }

  has(key: string): boolean {
    return key.startsWith(this.#prefix) && compareKeys(key, this.#first) >= 0;
  }

  /** Where the values are that the range holds now. Fails with CorruptValue if that cannot be told. */
  *pointers({ current }: Tables, snapshot: Snapshot, limit?: number): Iterable<Pointer> {
    for (const { key, value } of current.getRange({ ...snapshot.options, ...this.bounds, limit: limit || undefined })) {
      const { revision, created } = soundHead(key as string, value as Head | Damaged);
      yield { key: key as string, revision, created };
    }
  }

  /** How many keys the range holds now. LMDB counts by itself, so this takes few but long steps. */
  async count({ current }: Tables, snapshot: Snapshot): Promise<number> {
    let { start, end } = this.bounds;
    for (let counted = 0; ; counted += COUNT_AT_ONCE) {
      const range = { ...snapshot.options, start, end };
      const [next] = current.getKeys({ ...range, offset: COUNT_AT_ONCE, limit: 1 });
      if (next === undefined) return counted + current.getKeysCount(range);
      start = next;
      await snapshot.rest();
    }
  }
}
