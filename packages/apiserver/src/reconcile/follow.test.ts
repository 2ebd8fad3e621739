import { CorruptValue } from '@tsukube/storage';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sampleRegistry } from '../registry/sample-registry.ts';
import type { CacheEntry, CacheEvent } from '../watchcache/entry.ts';
import type { Follower } from '../watchcache/object-cache.ts';
import { CacheFollower, follow, followObjects } from './follow.ts';

function entry(key: string, revision = 1): CacheEntry {
  return { key, revision, created: 1, value: Buffer.from('{}'), derived: undefined };
}

function event(changed: CacheEntry): CacheEvent {
  return { type: 'put', entry: changed, previous: undefined, weight: 0, frames: undefined };
}

/** A cache whose lists fail on demand. */
function fakeCache(...keys: string[]) {
  const followers = new Set<Follower>();
  const cache = {
    prefix: '',
    isClosed: false,
    failures: 0,
    lists: 0,
    followers,
    entries: keys.map((key) => entry(key)),
    async fresh(): Promise<boolean> {
      cache.lists++;
      if (cache.failures-- > 0) throw new Error('the store is unavailable');
      return true;
    },
    loaded: (): Promise<void> | undefined => undefined,
    slice: () => cache.entries,
    follow(follower: Follower) {
      followers.add(follower);
      return () => followers.delete(follower);
    },
    emit(...changed: CacheEntry[]) {
      for (const follower of followers) follower.onEvents(changed.map(event));
    },
    gap() {
      for (const follower of followers) follower.onGap();
    },
  };
  return cache;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('follow', () => {
  it('calls back for every entry and every change', async () => {
    const cache = fakeCache('/a', '/b');
    const seen: string[] = [];
    const stop = follow(cache, ({ key }) => seen.push(key));
    await settle();
    cache.emit(entry('/c'));
    stop();
    cache.emit(entry('/d'));
    expect(seen).toEqual(['/a', '/b', '/c']);
    expect(cache.followers.size).toBe(0);
  });

  it('lists again after a gap', async () => {
    const cache = fakeCache('/a');
    const seen: string[] = [];
    follow(cache, ({ key }) => seen.push(key));
    await settle();
    cache.entries = [entry('/b')];
    cache.gap();
    await settle();
    cache.emit(entry('/c'));
    expect(seen).toEqual(['/a', '/b', '/c']);
    expect(cache.followers.size).toBe(1);
  });

  it.each([1, 3])('survives %i failed lists after a gap', async (failures) => {
    const cache = fakeCache('/a');
    const seen: string[] = [];
    follow(cache, ({ key }) => seen.push(key));
    await settle();
    cache.failures = failures;
    cache.gap();
    await vi.advanceTimersByTimeAsync(100 * 2 ** failures);
    cache.emit(entry('/b'));
    expect(seen).toEqual(['/a', '/a', '/b']);
    expect(cache.followers.size).toBe(1);
  });

  it('backs off up to five seconds', async () => {
    const cache = fakeCache();
    cache.failures = 100;
    const stop = follow(cache, () => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cache.lists).toBeGreaterThan(10);
    expect(cache.lists).toBeLessThan(20);
    stop();
    const { lists } = cache;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cache.lists).toBe(lists);
  });

  it('ends when the cache is closed', async () => {
    const cache = fakeCache('/a');
    follow(cache, () => {});
    await settle();
    cache.isClosed = true;
    cache.gap();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cache.lists).toBe(1);
    expect(cache.followers.size).toBe(0);
  });

  it('skips a corrupt entry', async () => {
    const cache = fakeCache('/a', '/b');
    const seen: string[] = [];
    follow(cache, ({ key }) => {
      if (key === '/a') throw new CorruptValue('/a', 1, 'checksum');
      seen.push(key);
    });
    await settle();
    expect(seen).toEqual(['/b']);
  });

  it('follows once the cache has been filled, whatever gaps occur before', async () => {
    const cache = fakeCache('/a');
    const loading: Promise<void>[] = [Promise.resolve(), Promise.resolve()];
    cache.loaded = () => loading.shift();
    const seen: string[] = [];
    follow(cache, ({ key }) => seen.push(key));
    await settle();
    expect(loading).toHaveLength(0);
    expect(seen).toEqual(['/a']);
  });
});

describe('CacheFollower', () => {
  it('subscribes once when the listener of a list fails', async () => {
    const cache = fakeCache('/a');
    let attempts = 0;
    const follower = new CacheFollower(cache, {
      onList() {
        if (++attempts < 3) throw new Error('not yet');
      },
      onEvents: () => {},
    });
    await expect(follower.listed()).rejects.toThrow('not yet');
    await vi.advanceTimersByTimeAsync(1000);
    await follower.listed();
    expect(attempts).toBe(3);
    expect(cache.followers.size).toBe(1);
  });

  it('announces a gap before the next list', async () => {
    const cache = fakeCache('/a');
    const calls: string[] = [];
    new CacheFollower(cache, {
      onList: () => void calls.push('list'),
      onEvents: () => void calls.push('events'),
      onGap: () => void calls.push('gap'),
    });
    await settle();
    cache.gap();
    await settle();
    expect(calls).toEqual(['list', 'gap', 'list']);
  });
});

describe('followObjects', () => {
  it('removes objects that were deleted during a gap', async () => {
    vi.useRealTimers();
    const { registry, create } = await sampleRegistry();
    for (const name of ['a', 'b']) await create({ name });
    const objects = new Set<string>();
    const stop = await followObjects(registry, {
      put: (namespace, name) => objects.add(`${namespace}/${name}`),
      remove: (namespace, name) => objects.delete(`${namespace}/${name}`),
    });
    expect([...objects]).toEqual(['default/a', 'default/b']);
    const key = registry.key('default', 'a');
    await registry.cache.delete(key, (await registry.cache.get(key))?.revision ?? 0);
    await create({ name: 'c' });
    expect([...objects]).toEqual(['default/b', 'default/c']);
    stop();
  });

  it('rejects if the first list fails', async () => {
    const cache = fakeCache();
    cache.failures = 1;
    const { registry } = await sampleRegistry();
    const failing = Object.assign(Object.create(registry), { cache });
    await expect(followObjects(failing, { put: () => {}, remove: () => {} })).rejects.toThrow('unavailable');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(cache.lists).toBe(1);
  });
});
