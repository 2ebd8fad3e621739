import { CountedDirectBody } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { encodeList, type ListBody, type ListWriter } from './list-body.ts';

const writer: ListWriter = {
  head: Buffer.from('{"items":['),
  tail: Buffer.from(']}\n'),
  separated: true,
  size: ({ value }) => value.length + 1,
  write(entry, out, at) {
    out[at] = 0x2c;
    return at + 1 + entry.value.copy(out, at + 1);
  },
};

/** Items of all sizes, up to some that are larger than a frame. */
function entriesOf(count: number): CacheEntry[] {
  return Array.from({ length: count }, (_, i) => {
    const value = Buffer.from(JSON.stringify(`${i}${'x'.repeat((i * 7919) % 40_000)}`));
    return { key: `/${i}`, value, revision: i, created: i, derived: undefined };
  });
}

function written(body: ListBody | CountedDirectBody, room: (i: number) => number): string {
  const pieces: Buffer[] = [];
  for (let i = 0; ; i++) {
    const target = Buffer.alloc(room(i) + 8, '#');
    const length = body.writeTo(target, 5, room(i));
    expect(target.subarray(0, 5).toString() + target.subarray(5 + length).toString()).toMatch(/^#+$/);
    pieces.push(target.subarray(5, 5 + length));
    if (length < room(i)) return Buffer.concat(pieces).toString();
  }
}

function expected(entries: readonly CacheEntry[]): string {
  return `{"items":[${entries.map(({ value }) => value.toString()).join(',')}]}\n`;
}

describe('list body', () => {
  it.each([0, 1, 2, 3])('encodes %i items as one buffer', (count) => {
    const entries = entriesOf(count);
    const { first, whole } = encodeList(writer, entries);
    expect(first.toString()).toBe(expected(entries));
    expect(whole).toBeUndefined();
  });

  it.each([
    ['frames', () => 16_384],
    ['one large piece', () => 1 << 22],
    ['pieces of odd sizes', (i: number) => 1 + ((i * 104_729) % 70_000)],
  ])('writes the same large list in %s', (_, room) => {
    const entries = entriesOf(100);
    expect(written(encodeList(writer, entries).whole as ListBody, room)).toBe(expected(entries));
  });

  it('returns 0 after a list that ended exactly at the end of the target', () => {
    const entries = entriesOf(100);
    const size = Buffer.byteLength(expected(entries));
    const body = encodeList(writer, entries).whole as ListBody;
    expect(body.writeTo(Buffer.alloc(size), 0, size)).toBe(size);
    expect(body.writeTo(Buffer.alloc(10), 0, 10)).toBe(0);
  });

  it('is counted once, whether it is written completely or not', () => {
    const entries = entriesOf(100);
    const counts: number[] = [];
    const body = () => new CountedDirectBody(encodeList(writer, entries).whole as ListBody, (bytes) => counts.push(bytes));
    const [whole, cut] = [body(), body()];
    written(whole, () => 16_384);
    whole.cancel();
    cut.writeTo(Buffer.alloc(1000), 0, 1000);
    for (let i = 0; i < 2; i++) cut.cancel();
    expect(counts).toEqual([Buffer.byteLength(expected(entries)), 1000]);
    expect(Buffer.concat([...body()]).toString()).toBe(expected(entries));
  });
});
