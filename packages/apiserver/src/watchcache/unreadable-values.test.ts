import { type Entry, type Store, UnreadableValue } from '@tsukube/storage';
import { encryptedStore, identityTransformer } from '@tsukube/storage/encryption';
import { openMemory } from '@tsukube/storage/memory';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Feed, openFeed } from './feed.ts';
import { WatchCache } from './watch-cache.ts';

const marked = Buffer.from('bad');
const text = (entry: Entry | undefined) => entry && Buffer.from(entry.value).toString();

describe.each(['in this process', 'elsewhere'])('an unreadable value in a store %s', (place) => {
  let raw: Store;
  let isReadable: boolean;
  let now: number;
  let feed: Feed;
  let cache: WatchCache;
  let other: WatchCache;
  let errors: unknown[];

  beforeEach(async () => {
    raw = openMemory();
    isReadable = false;
    now = 0;
    errors = [];
    const open = (value: Uint8Array) => {
      if (marked.equals(value) && !isReadable) throw new Error('wrong key');
      return { value, stale: false };
    };
    const encrypted = encryptedStore(raw, () => ({ ...identityTransformer, open }));
    const store = place === 'elsewhere' ? withoutTap(encrypted) : encrypted;
    feed = await openFeed(store, '', (error) => errors.push(error));
    const clock = { now: () => now };
    cache = new WatchCache(store, feed, { prefix: '/a/', ...clock });
    other = new WatchCache(store, feed, { prefix: '/b/', ...clock });
    return async () => {
      feed.close();
      await raw.close();
    };
  });

  it('fails its own reads and lists, and no others', async () => {
    await raw.create('/a/1', marked);
    await raw.create('/a/2', Buffer.from('good'));
    await expect(cache.fresh()).rejects.toThrow(UnreadableValue);
    await expect(cache.get('/a/1')).rejects.toMatchObject({ reason: 'wrong key' });
    expect(text(await cache.get('/a/2'))).toBe('good');
    await expect(cache.list('/a/')).rejects.toMatchObject({ reason: 'unable to transform key "/a/1": wrong key' });
    expect((await cache.list('/a/2')).entries).toHaveLength(1);
    await cache.create('/a/3', Buffer.from('new'));
    expect(text(await cache.get('/a/3'))).toBe('new');
  });

  it('is retried after a second, not with every read', async () => {
    await raw.create('/a/1', marked);
    await expect(cache.fresh()).rejects.toThrow(UnreadableValue);
    isReadable = true;
    await expect(cache.fresh()).rejects.toThrow(UnreadableValue);
    expect(text(await cache.get('/a/1'))).toBe('bad');
    now = 1001;
    await cache.fresh();
    expect(text(cache.peek('/a/1'))).toBe('bad');
  });

  it('is a gap for followers of its cache only', async () => {
    await Promise.all([cache.fresh(), other.fresh()]);
    const gaps: string[] = [];
    const heard: string[] = [];
    const follower = (name: string) => ({
      onEvents: (events: readonly { readonly entry: Entry }[]) => heard.push(...events.map(({ entry }) => entry.key)),
      onGap: () => gaps.push(name),
    });
    cache.follow(follower('a'));
    other.follow(follower('b'));
    await raw.create('/b/1', Buffer.from('x'));
    await raw.create('/a/1', marked);
    await raw.create('/b/2', Buffer.from('x'));
    await expect.poll(() => heard).toEqual(['/b/1', '/b/2']);
    expect(gaps).toEqual(['a']);
    expect(errors).toHaveLength(1);
    await expect(cache.fresh()).rejects.toThrow(UnreadableValue);
    expect(other.slice('/b/')).toHaveLength(2);
  });
});

function withoutTap(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = name === 'tap' ? undefined : Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
