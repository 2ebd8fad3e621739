import { isTooLong, MAX_KEY_BYTES } from '../../keys.ts';

/** Order-preserving encoding of keys. The buffers belong to LMDB. */
export interface KeyEncoding<K> {
  writeKey(key: K, target: Buffer, start: number): number;
  readKey(source: Buffer, start: number, end: number): K;
}

const U32 = 2 ** 32;

/** UTF-8. Range bounds may be raw bytes. */
export const textKeys: KeyEncoding<string | Uint8Array> = {
  writeKey(key, target, start) {
    if (typeof key === 'string') return start + target.write(key, start);
    target.set(key, start);
    return start + key.length;
  },
  readKey: (source, start, end) => source.toString('utf8', start, end),
};

export const numberKeys: KeyEncoding<number> = {
  writeKey: writeNumber,
  readKey: readNumber,
};

/** Pairs of numbers in lexicographic order. */
export const pairKeys: KeyEncoding<number[]> = {
  writeKey: ([first = 0, second = 0], target, start) => writeNumber(second, target, writeNumber(first, target, start)),
  readKey: (source, start) => [readNumber(source, start), readNumber(source, start + 8)],
};

function writeNumber(number: number, target: Buffer, start: number): number {
  target.writeUInt32BE(Math.floor(number / U32), start);
  return target.writeUInt32BE(number % U32, start + 4);
}

function readNumber(source: Buffer, start: number): number {
  return source.readUInt32BE(start) * U32 + source.readUInt32BE(start + 4);
}

const LOWEST = Uint8Array.of(0);

/** Range bounds of a prefix; the end is exclusive. UTF-8 contains no 0xff, so the last byte can always be incremented. */
export function prefixBounds(prefix: string, first: string): { start: string | Uint8Array; end: Uint8Array | undefined } {
  if (prefix === '') return { start: startAt(first) || LOWEST, end: undefined };
  if (isTooLong(prefix)) return { start: LOWEST, end: LOWEST };
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end[end.length - 1] as number) + 1;
  return { start: startAt(first), end };
}

/** LMDB rejects bounds longer than its maximum key size, so they are truncated to a bound with the same result. */
function startAt(first: string): string | Uint8Array {
  return isTooLong(first) ? Buffer.concat([Buffer.from(first).subarray(0, MAX_KEY_BYTES), LOWEST]) : first;
}
