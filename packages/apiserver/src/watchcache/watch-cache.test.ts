import { type Entry, type Store, Unavailable } from '@tsukube/storage';
import { ManualClock, storeContract } from '@tsukube/storage/contract';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import { follow } from '../reconcile/follow.ts';
import { type Feed, type FeedListener, openFeed, WriteFence } from './feed.ts';
import { WatchCache } from './watch-cache.ts';

/** A store that is not in this process has no tap: its cache is fed by a watch. */
function remote(store: Store): Store {
  return Object.assign(Object.create(store) as Store, {
    revision: () => store.revision(),
    get: (key: string) => store.get(key),
    list: (...args: Parameters<Store['list']>) => store.list(...args),
    create: (...args: Parameters<Store['create']>) => store.create(...args),
    update: (...args: Parameters<Store['update']>) => store.update(...args),
    delete: (...args: Parameters<Store['delete']>) => store.delete(...args),
    watch: (...args: Parameters<Store['watch']>) => store.watch(...args),
    compact: (revision: number) => store.compact(revision),
    ping: () => store.ping(),
    close: () => store.close(),
    tap: undefined,
  });
}

/** A store with `valueAt`, which counts its calls. */
function rereadable(store: Store): Store & { readonly reads: number[] } {
  const values = new Map<number, Uint8Array>();
  const reads: number[] = [];
  store.tap?.(({ changes }) => {
    for (const { type, entry } of changes) if (type === 'put') values.set(entry.revision, entry.value);
  });
  const valueAt = (revision: number) => {
    reads.push(revision);
    return values.get(revision) as Uint8Array;
  };
  return Object.assign(remote(store), { tap: store.tap?.bind(store), valueAt, reads });
}

async function open(
  wrap: (store: Store) => Store,
  options = {},
): Promise<{ cache: WatchCache; feed: Feed; store: Store; clock: ManualClock }> {
  const clock = new ManualClock();
  const store = wrap(openMemory({ clock }));
  const feed = await openFeed(store, '', () => {});
  return { cache: new WatchCache(store, feed, { prefix: '', ...options }), feed, store, clock };
}

for (const [name, wrap, options] of [
  ['watch cache on a store in this process', (store: Store) => store, {}],
  ['watch cache with a history of two events', (store: Store) => store, { maxHistoryEvents: 2 }],
  ['watch cache with evicted values', rereadable, { maxHistoryEvents: 2 }],
  ['watch cache on a remote store', remote, {}],
] as const) {
  storeContract(name, async () => {
    const { cache, feed, store, clock } = await open(wrap, options);
    return {
      store: cache,
      advance: (seconds) => clock.advance(seconds),
      close: async () => {
        await cache.close();
        feed.close();
        await store.close();
      },
    };
  });
}

describe('watch cache', () => {
  it('loads with the first read', async () => {
    const { cache, store } = await open((s) => s);
    await store.create('/a/1', Buffer.from('x'));
    expect(cache.size).toBe(0);
    expect((await cache.get('/a/1'))?.value.toString()).toBe('x');
    expect(cache.size).toBe(1);
  });

  it('holds a write before it is acknowledged', async () => {
    const { cache } = await open((s) => s);
    await cache.loaded();
    const entry = await cache.create('/a/1', Buffer.from('x'));
    expect(cache.peek('/a/1')).toBe(entry);
  });

  it('presents a value once and shares it', async () => {
    const present = (value: Uint8Array, revision: number) => Buffer.from(`${Buffer.from(value)}@${revision}`);
    const { cache } = await open((s) => s, { present });
    await cache.loaded();
    const entry = await cache.create('/a/1', Buffer.from('x'));
    expect(entry.value.toString()).toBe(`x@${entry.revision}`);
    expect((await cache.list('/a/')).entries[0]).toBe(entry);
  });

  it('neither reads nor keeps values that processes share, until they are asked for', async () => {
    const shared = (store: Store) => Object.assign(rereadable(store), { catchUp: () => undefined });
    const { cache, store } = await open(shared);
    const { reads } = store as Store & { reads: number[] };
    const { revision } = await store.create('/a', Buffer.from('12345'));
    await store.create('/b', Buffer.from('6'));
    const list = store.list.bind(store);
    store.list = async (prefix, options) => {
      const page = await list(prefix, options);
      const unread = ({ key, revision, created, value }: Entry): Entry =>
        Object.defineProperty({ key, revision, created, size: value.length } as Entry, 'value', {
          get: () => {
            throw new Error('it was read');
          },
        });
      return options?.lazyValues ? { ...page, entries: page.entries.map(unread) } : page;
    };
    await cache.loaded();
    expect([cache.size, cache.bytes, reads]).toEqual([2, 6, []]);
    for (let i = 0; i < 2; i++) expect(cache.peek('/a')?.value.toString()).toBe('12345');
    expect(reads).toEqual([revision, revision]);
  });

  it('evicts values and reads them again on demand', async () => {
    const { cache, store } = await open(rereadable, { maxHistoryEvents: 1 });
    const { reads } = store as ReturnType<typeof rereadable>;
    await cache.loaded();
    const first = await cache.create('/a/1', Buffer.from('x'));
    await cache.create('/a/2', Buffer.from('y'));
    expect(first.value.toString()).toBe('x');
    expect(first.value.toString()).toBe('x');
    expect(reads).toEqual([first.revision]);
  });

  it('resumes a watch of unchanged keys from any revision', async () => {
    const store = openMemory({ clock: new ManualClock() });
    const feed = await openFeed(store, '', () => {});
    const cache = new WatchCache(store, feed, { prefix: '/quiet/' });
    await cache.fresh();
    const seen = await cache.create('/quiet/a', Buffer.from('1'));
    for (let index = 0; index < 10; index++) await store.create(`/busy/${index}`, Buffer.from('x'));
    await store.compact(await store.revision());
    cache.forget(await store.revision());
    expect(cache.eventsAfter(seen.revision)).toEqual([]);
    expect(cache.eventsAfter(seen.revision - 1)).toBeUndefined();
    expect(cache.past('/quiet/', '', seen.revision)).toBeUndefined();
    expect(cache.past('/quiet/', '', await store.revision())).toHaveLength(1);
  });

  it('holds values for one to two compactions after a read', async () => {
    const released: string[] = [];
    const { cache } = await open(rereadable, { onEvict: ({ key }: { key: string }) => released.push(key) });
    await cache.loaded();
    const entry = await cache.create('/a/1', Buffer.from('x'));
    await cache.compact(entry.revision - 1);
    expect(released).toEqual([]);
    await cache.compact(entry.revision - 1);
    expect(released).toEqual(['/a/1']);
    expect(entry.value.toString()).toBe('x');
    await cache.compact(entry.revision - 1);
    expect(released).toHaveLength(1);
  });

  it('lists again after a gap during the first list', async () => {
    const store = remote(openMemory({ clock: new ManualClock() }));
    await store.create('/a/1', Buffer.from('x'));
    const { feed, gap } = gappedFeed();
    const cache = new WatchCache(store, feed, { prefix: '' });
    const list = store.list;
    store.list = async (...args) => {
      store.list = list;
      const page = await list(...args);
      await store.create('/a/2', Buffer.from('missed by list and feed'));
      gap();
      return page;
    };
    await cache.loaded();
    expect(cache.slice('').map(({ key }) => key)).toEqual(['/a/1', '/a/2']);
  });

  it('lists again after a gap while a read waits for the feed', async () => {
    const store = remote(openMemory({ clock: new ManualClock() }));
    const { feed, gap } = gappedFeed();
    const cache = new WatchCache(store, feed, { prefix: '' });
    await cache.loaded();
    await store.create('/a/1', Buffer.from('missed by the feed'));
    const { caughtUp } = feed;
    feed.caughtUp = async () => {
      feed.caughtUp = caughtUp;
      gap();
      return true;
    };
    expect((await cache.list('')).entries.map(({ key }) => key)).toEqual(['/a/1']);
  });

  it('is listed again after a gap between the list and follow', async () => {
    const store = remote(openMemory({ clock: new ManualClock() }));
    const { feed, gap } = gappedFeed();
    const cache = new WatchCache(store, feed, { prefix: '' });
    const fresh = cache.fresh.bind(cache);
    cache.fresh = async () => {
      const result = await fresh();
      await store.create('/a/1', Buffer.from('missed by list and feed'));
      gap();
      return result ?? true;
    };
    const seen: string[] = [];
    const stop = follow(cache, ({ key }) => seen.push(key));
    await expect.poll(() => seen).toEqual(['/a/1']);
    stop();
  });

  it('is followed after a gap, despite failed lists', async () => {
    const store = remote(openMemory({ clock: new ManualClock() }));
    const { feed, gap } = gappedFeed();
    const cache = new WatchCache(store, feed, { prefix: '' });
    const seen: string[] = [];
    const stop = follow(cache, ({ key }) => seen.push(key));
    await cache.loaded();
    await store.create('/a/1', Buffer.from('x'));
    const list = store.list;
    let failures = 2;
    store.list = (...args) => (failures-- > 0 ? Promise.reject(new Unavailable('no store')) : list(...args));
    gap();
    await expect.poll(() => seen).toEqual(['/a/1']);
    await cache.close();
    stop();
  });
});

describe('freshAt', () => {
  it('waits for a write of the key in progress, and for no other', async () => {
    const { cache, store } = await open((each) => each);
    await cache.loaded();
    let commit = () => {};
    const create = store.create.bind(store);
    store.create = async (...args) => {
      await new Promise<void>((resolve) => (commit = resolve));
      return create(...args);
    };
    const write = cache.create('/a', Buffer.from('new'));
    expect(cache.freshAt('/b')).toBeUndefined();
    const read = cache.freshAt('/a')?.then(() => cache.peek('/a')?.value.toString());
    commit();
    expect(await read).toBe('new');
    await write;
    expect(cache.freshAt('/a')).toBeUndefined();
    await cache.close();
  });
});

describe('reads after a cancellation', () => {
  it('wait for writes that were cancelled too late', async () => {
    const { cache, store, feed } = await open((each) => each);
    await cache.loaded();
    let settle = () => {};
    store.cancelledUnderWay = () => new Promise<void>((resolve) => (settle = resolve));
    feed.fence.raise();
    let isFresh = false;
    const fresh = cache.fresh()?.then(() => (isFresh = true));
    await Promise.resolve();
    expect(isFresh).toBe(false);
    settle();
    await fresh;
    expect(cache.fresh()).toBeUndefined();
    await cache.close();
  });
});

/** A feed that delivers nothing but gaps. */
function gappedFeed(): { feed: Feed; gap(): void } {
  const listeners = new Set<FeedListener>();
  const feed: Feed = {
    revision: 0,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    caughtUp: () => undefined,
    fence: new WriteFence({ cancelledUnderWay: () => undefined }),
    compact() {},
    close() {},
  };
  return {
    feed,
    gap() {
      for (const listener of listeners) listener.onGap();
    },
  };
}
