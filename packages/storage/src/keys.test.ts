import { describe, expect, it } from 'vitest';
import { checkKey, compareKeys, firstKey, lowerBound, MAX_KEY_BYTES } from './keys.ts';

const SORTED = ['', '\0', '/', '/a', '/a\0', '/a/', '/ab', '/é', '/\ud7ff', '/\ue000', '/\uffee', '/𝄞', '/𝄞a', '/\u{10ffff}'];

describe('compareKeys', () => {
  it('orders by UTF-8 bytes', () => {
    for (const left of SORTED) {
      for (const right of SORTED) {
        const bytewise = Buffer.compare(Buffer.from(left), Buffer.from(right));
        expect(Math.sign(compareKeys(left, right)), `${left} ${right}`).toBe(bytewise);
      }
    }
  });
});

describe('lowerBound', () => {
  it.each(SORTED.map((key, index) => [key, index] as const))('finds %j', (key, index) => {
    expect(lowerBound(SORTED, key)).toBe(index);
    expect(lowerBound(SORTED, `${key}\0`)).toBe(index + 1);
  });
});

describe('checkKey', () => {
  it.each(['', 'x'.repeat(MAX_KEY_BYTES + 1), 'é'.repeat(MAX_KEY_BYTES / 2 + 1)])('refuses %#', (key) => {
    expect(() => checkKey(key)).toThrow(RangeError);
  });
  it.each(['/', 'x'.repeat(MAX_KEY_BYTES), 'é'.repeat(MAX_KEY_BYTES / 2)])('accepts %#', (key) => {
    expect(() => checkKey(key)).not.toThrow();
  });
});

describe('firstKey', () => {
  it.each([
    ['/a/', undefined, '/a/'],
    ['/a/', '/', '/a/'],
    ['/a/', '/a/b', '/a/b'],
    ['/a/', '/b', '/b'],
  ])('starts %s from %s at %s', (prefix, from, first) => {
    expect(firstKey(prefix, from)).toBe(first);
  });
});
