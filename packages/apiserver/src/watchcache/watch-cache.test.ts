import type { Store } from '@tsukube/storage';
import { ManualClock, storeContract } from '@tsukube/storage/contract';
import { openMemory } from '@tsukube/storage/memory';
import { describe, expect, it } from 'vitest';
import { type Feed, openFeed } from './feed.ts';
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

/** A store that can be asked for a value again, and counts how often it was. */
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
  ['watch cache that remembers next to nothing', (store: Store) => store, { maxHistoryEvents: 2 }],
  ['watch cache that holds next to no values', rereadable, { maxHistoryEvents: 2 }],
  ['watch cache on a store elsewhere', remote, {}],
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
  it('is filled when it is first read', async () => {
    const { cache, store } = await open((s) => s);
    await store.create('/a/1', Buffer.from('x'));
    expect(cache.size).toBe(0);
    expect((await cache.get('/a/1'))?.value.toString()).toBe('x');
    expect(cache.size).toBe(1);
  });

  it('has a write in memory before the writer knows of it', async () => {
    const { cache } = await open((s) => s);
    await cache.loaded();
    const entry = await cache.create('/a/1', Buffer.from('x'));
    expect(cache.peek('/a/1')).toBe(entry);
  });

  it('presents values once and shares them', async () => {
    const present = (value: Uint8Array, revision: number) => Buffer.from(`${Buffer.from(value)}@${revision}`);
    const { cache } = await open((s) => s, { present });
    await cache.loaded();
    const entry = await cache.create('/a/1', Buffer.from('x'));
    expect(entry.value.toString()).toBe(`x@${entry.revision}`);
    expect((await cache.list('/a/')).entries[0]).toBe(entry);
  });

  it('lets go of values that nobody asks for again, and reads them when somebody does', async () => {
    const { cache, store } = await open(rereadable, { maxHistoryEvents: 1 });
    const { reads } = store as ReturnType<typeof rereadable>;
    await cache.loaded();
    const first = await cache.create('/a/1', Buffer.from('x'));
    await cache.create('/a/2', Buffer.from('y'));
    expect(first.value.toString()).toBe('x');
    expect(first.value.toString()).toBe('x');
    expect(reads).toEqual([first.revision]);
  });

  it('holds what was read for a turn of compaction at least, and for two at most', async () => {
    const released: string[] = [];
    const { cache } = await open(rereadable, { onRelease: ({ key }: { key: string }) => released.push(key) });
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
});
