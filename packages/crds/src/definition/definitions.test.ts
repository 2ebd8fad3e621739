import type { CacheEntry, CacheEvent, ObjectRegistry } from '@tsukube/apiserver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDefinitions } from './definitions.ts';

const entry = (name: string): CacheEntry => ({
  key: `/crds/${name}`,
  revision: 1,
  created: 1,
  value: Buffer.from('{}'),
  derived: undefined,
});

/** A cache whose lists fail on demand. */
function fakeCache() {
  let follower: { onEvents(events: readonly Partial<CacheEvent>[]): void; onGap(): void } | undefined;
  const cache = {
    prefix: '/crds/',
    isClosed: false,
    failures: 0,
    fresh: async () => {
      if (cache.failures-- > 0) throw new Error('the store is unavailable');
      return true;
    },
    loaded: () => undefined,
    slice: () => [],
    follow(next: NonNullable<typeof follower>) {
      follower = next;
      return () => {
        follower = undefined;
      };
    },
    put: (name: string) => follower?.onEvents([{ type: 'put', entry: entry(name), previous: undefined }]),
    gap: () => follower?.onGap(),
  };
  return cache;
}

function open(cache: ReturnType<typeof fakeCache>) {
  const registry = { cache, resource: { storagePrefix: '/crds' } } as unknown as ObjectRegistry;
  const definitions = openDefinitions(registry);
  const changes: (string | undefined)[] = [];
  const unsubscribe = definitions.onChange((change) => changes.push(change?.name));
  return { definitions, changes, unsubscribe };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('openDefinitions', () => {
  it('reports changes after the first list', async () => {
    const cache = fakeCache();
    const { definitions, changes, unsubscribe } = open(cache);
    await definitions.load();
    cache.put('a.example.com');
    unsubscribe();
    cache.put('b.example.com');
    expect(changes).toEqual([undefined, 'a.example.com']);
  });

  it('reports a gap once the cache is loaded again, however often that fails', async () => {
    const cache = fakeCache();
    const { definitions, changes } = open(cache);
    await definitions.load();
    cache.failures = 3;
    cache.gap();
    await expect(definitions.load()).rejects.toThrow('unavailable');
    expect(changes).toEqual([undefined]);
    await vi.advanceTimersByTimeAsync(1000);
    cache.put('a.example.com');
    expect(changes).toEqual([undefined, undefined, 'a.example.com']);
  });

  it('reports nothing after close', async () => {
    const cache = fakeCache();
    const { definitions, changes } = open(cache);
    await definitions.load();
    definitions.close();
    cache.put('a.example.com');
    expect(changes).toEqual([undefined]);
  });
});
