import { describe, expect, it } from 'vitest';
import { BoundedCache } from './bounded-cache.ts';

const filled = (cache: BoundedCache<number, string>, keys: readonly number[]): BoundedCache<number, string> => {
  for (const key of keys) cache.set(key, `value ${key}`);
  return cache;
};

describe('BoundedCache', () => {
  it('returns undefined for a missing key and null for a cached null', () => {
    const cache = new BoundedCache<string, string | null>({ entries: 4 });
    cache.set('none', null);
    expect(cache.get('other')).toBeUndefined();
    expect(cache.get('none')).toBeNull();
  });

  it('never exceeds its number of entries', () => {
    const cache = new BoundedCache<number, string>({ entries: 10 });
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, '');
      expect(cache.size).toBeLessThanOrEqual(10);
      expect(cache.get(key)).toBe('');
    }
  });

  it.each([1, 2, 3])('holds the newest entry with a limit of %i', (entries) => {
    const cache = filled(new BoundedCache({ entries }), [1, 2, 3, 4]);
    expect(cache.get(4)).toBe('value 4');
    expect(cache.size).toBeLessThanOrEqual(Math.max(2, entries));
  });

  it('evicts the entries that were not read for a generation', () => {
    const cache = filled(new BoundedCache<number, string>({ entries: 8 }), [1, 2, 3, 4]);
    filled(cache, [5]);
    expect(cache.get(1)).toBe('value 1');
    filled(cache, [6, 7, 8, 9]);
    expect([1, 2, 3, 4].map((key) => cache.get(key))).toEqual(['value 1', undefined, undefined, undefined]);
  });

  it('keeps the newer value when an entry of either generation is replaced', () => {
    const cache = filled(new BoundedCache<number, string>({ entries: 4 }), [1, 2, 3]);
    cache.set(1, 'old generation');
    cache.set(3, 'young generation');
    expect([cache.get(1), cache.get(3), cache.size]).toEqual(['old generation', 'young generation', 3]);
  });

  it('deletes entries of both generations', () => {
    const cache = filled(new BoundedCache<number, string>({ entries: 4 }), [1, 2, 3]);
    expect([cache.delete(1), cache.delete(3), cache.delete(4), cache.size]).toEqual([true, true, false, 1]);
    cache.clear();
    expect([cache.size, cache.get(2)]).toEqual([0, undefined]);
  });

  it('creates a value once', () => {
    const cache = new BoundedCache<string, { readonly of: string }>({ entries: 2 });
    const value = cache.getOrCreate('a', (of) => ({ of }));
    expect(cache.getOrCreate('a', (of) => ({ of }))).toBe(value);
  });

  describe('with a limit in bytes', () => {
    const sized = (bytes: number) => new BoundedCache<string, string>({ entries: 100, bytes, sizeOf: (value) => value.length });

    it('evicts by size', () => {
      const cache = sized(20);
      for (const key of ['a', 'b', 'c', 'd', 'e']) cache.set(key, 'x'.repeat(5));
      expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).toEqual(['c', 'd', 'e']);
    });

    it('does not cache an entry larger than half of the limit, and evicts the value it replaces', () => {
      const cache = sized(20);
      cache.set('a', 'small');
      cache.set('a', 'x'.repeat(11));
      expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
    });

    it('counts a replaced and a deleted value no longer', () => {
      const cache = sized(20);
      for (let i = 0; i < 10; i++) cache.set('a', 'x'.repeat(6));
      cache.set('b', 'xxxx');
      cache.delete('a');
      cache.set('c', 'x'.repeat(6));
      expect([cache.get('b'), cache.get('c')]).toEqual(['xxxx', 'x'.repeat(6)]);
      expect(cache.size).toBe(2);
    });
  });
});
