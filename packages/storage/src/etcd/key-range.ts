import { firstKey } from '../keys.ts';

/** Keys from `key` on, below `end`; without an end the one key. */
export interface KeyRange {
  readonly key: string;
  readonly end?: Uint8Array;
}

const SMALLEST_KEY = '\0';
/** What etcd takes for the end of all keys. */
const NO_END = Uint8Array.of(0);

export const EVERYTHING: KeyRange = { key: SMALLEST_KEY, end: NO_END };

export function below(prefix: string, from?: string): KeyRange {
  return { key: firstKey(prefix, from) || SMALLEST_KEY, end: endOf(prefix) };
}

/** No byte of UTF-8 is 0xff, so the last one can always be raised. */
function endOf(prefix: string): Uint8Array {
  if (prefix === '') return NO_END;
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end.at(-1) as number) + 1;
  return end;
}
