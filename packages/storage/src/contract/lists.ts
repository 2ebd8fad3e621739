import { expect, it } from 'vitest';
import { type Entry, FutureRevision, type Page, type Store, type StoreListOptions } from '../store.ts';
import { bytes, type OpenStore, textOf } from './support.ts';

export function lists(open: OpenStore): void {
  it('lists an empty prefix', async () => {
    const { store } = await open();
    expect(await store.list('/none/')).toMatchObject({ entries: [], more: false, count: 0, revision: await store.revision() });
  });

  it.each([
    ['/a', ['/a', '/a/', '/a/b', '/a0', '/ab']],
    ['/a/', ['/a/', '/a/b']],
    ['/a/b', ['/a/b']],
    ['/ab', ['/ab']],
    ['/', ['/a', '/a/', '/a/b', '/a0', '/ab', '/b', '/b/é', '/b/\uffee', '/b/𝄞']],
  ])('lists the prefix %s in bytewise order', async (prefix, expected) => {
    const { store } = await open();
    const keys = ['/ab', '/b/𝄞', '/a/b', '/b', '/a', '/b/\uffee', '/a/', '/a0', '/b/é'];
    for (const key of keys) await store.create(key, bytes(key));
    const page = await store.list(prefix);
    expect(keysOf(page)).toEqual(expected);
    expect(page.entries.map(({ value }) => textOf(value))).toEqual(expected);
    expect(page).toMatchObject({ more: false, count: expected.length });
  });

  it('returns entries with their revisions', async () => {
    const { store } = await open();
    const a = await store.create('/r/a', bytes('1'));
    const b = await store.create('/r/b', bytes('1'));
    const a2 = await store.update('/r/a', bytes('2'), a.revision);
    const page = await store.list('/r/');
    expect(page.revision).toBe(a2.revision);
    expect(page.entries).toMatchObject([
      { key: '/r/a', revision: a2.revision, created: a.revision },
      { key: '/r/b', revision: b.revision, created: b.revision },
    ]);
  });

  it('starts at `from`, inclusive', async () => {
    const { store } = await open();
    await fill(store, '/k/', 5);
    await store.create('/l', bytes('outside'));
    expect(keysOf(await store.list('/k/', { from: '/k/2' }))).toEqual(['/k/2', '/k/3', '/k/4']);
    expect(keysOf(await store.list('/k/', { from: '/k/2\0' }))).toEqual(['/k/3', '/k/4']);
    expect(keysOf(await store.list('/k/', { from: '/a' }))).toHaveLength(5);
    expect(await store.list('/k/', { from: '/z' })).toMatchObject({ entries: [], more: false, count: 0 });
  });

  it('accepts `from` and prefixes longer than any key', async () => {
    const { store } = await open();
    const { revision } = await store.create('/k/a', bytes('1'));
    await store.create('/k/z', bytes('1'));
    const long = `/k/${'n'.repeat(10_000)}`;
    expect(await store.get(long)).toBeUndefined();
    for (const at of [undefined, revision]) {
      expect(await store.list(long, { revision: at })).toMatchObject({ entries: [], more: false, count: 0 });
      expect(keysOf(await store.list('/k/', { from: long, revision: at }))).toEqual(at === undefined ? ['/k/z'] : []);
    }
  });

  it('limits a page and counts the rest', async () => {
    const { store } = await open();
    await fill(store, '/k/', 9);
    await store.create('/l', bytes('outside'));
    expect(shape(await store.list('/k/', { limit: 4 }))).toEqual([4, true, 9]);
    expect(shape(await store.list('/k/', { limit: 4, from: '/k/4' }))).toEqual([4, true, 5]);
    expect(shape(await store.list('/k/', { limit: 4, from: '/k/8' }))).toEqual([1, false, 1]);
    expect(shape(await store.list('/k/', { limit: 9 }))).toEqual([9, false, 9]);
    expect(shape(await store.list('/k/', { limit: 0 }))).toEqual([9, false, 9]);
  });

  it('lists the state of an old revision', async () => {
    const { store } = await open();
    const a = await store.create('/o/a', bytes('a1'));
    const b = await store.create('/o/b', bytes('b1'));
    await store.update('/o/a', bytes('a2'), a.revision);
    const removed = await store.delete('/o/b', b.revision);
    const b2 = await store.create('/o/b', bytes('b2'));
    expect(await valuesAt(store, a.revision - 1)).toEqual([]);
    expect(await valuesAt(store, a.revision)).toEqual(['a1']);
    expect(await valuesAt(store, b.revision)).toEqual(['a1', 'b1']);
    expect(await valuesAt(store, b.revision + 1)).toEqual(['a2', 'b1']);
    expect(await valuesAt(store, removed)).toEqual(['a2']);
    expect(await valuesAt(store, b2.revision)).toEqual(['a2', 'b2']);
    const old = await store.list('/o/', { revision: b.revision });
    expect(old).toMatchObject({ revision: b.revision, count: 2, more: false });
    expect(old.entries).toMatchObject([a, b]);
  });

  it('pages through an old revision during writes and deletes', async () => {
    const { store } = await open();
    const entries = await fill(store, '/p/', 30);
    const { revision } = await store.list('/p/');
    const collected: string[] = [];
    for (let from = '/p/', left = 30; left > 0; left -= 7) {
      const page = await store.list('/p/', { revision, limit: 7, from });
      expect(page).toMatchObject({ revision, count: left, more: left > 7 });
      collected.push(...page.entries.map(({ key, value }) => `${key}=${textOf(value)}`));
      from = `${page.entries.at(-1)?.key}\0`;
      await disturb(store, entries.slice(30 - left, 36 - left));
    }
    expect(collected).toEqual(entries.map(({ key }) => `${key}=${key}`));
  });

  it('counts the rest of an old revision, whatever happened since', async () => {
    const { store } = await open();
    const entries = await fill(store, '/c/', 8);
    const gone = entries[0] as Entry;
    await store.delete(gone.key, gone.revision);
    const { revision } = await store.list('/c/');
    const [updated, deleted, recreated] = entries.slice(2) as [Entry, Entry, Entry];
    const again = await store.update(updated.key, bytes('2'), updated.revision);
    await store.update(updated.key, bytes('3'), again.revision);
    await store.delete(deleted.key, deleted.revision);
    await store.delete(recreated.key, recreated.revision);
    await store.create(recreated.key, bytes('2'));
    await store.create(gone.key, bytes('2'));
    const added = await store.create('/c/9', bytes('1'));
    await store.delete(added.key, added.revision);
    expect(shape(await store.list('/c/', { revision, limit: 2 }))).toEqual([2, true, 7]);
    expect(shape(await store.list('/c/', { revision, limit: 2, from: '/c/3' }))).toEqual([2, true, 5]);
    expect(shape(await store.list('/c/', { revision, limit: 2, from: '/c/6' }))).toEqual([2, false, 2]);
    expect(shape(await store.list('/c/', { limit: 2 }))).toEqual([2, true, 7]);
  });

  it('reads values when they are accessed, if asked to', async () => {
    const { store } = await open();
    const values = ['{"a":1}', 'no JSON', '', `{"b":"${'x'.repeat(100_000)}"}`];
    for (const [i, value] of values.entries()) await store.create(`/a/${i}`, bytes(value));
    const { revision } = await store.create('/a/later', bytes('{}'));
    const first = await store.get('/a/0');
    await store.update('/a/0', bytes('{"a":2}'), first?.revision as number);
    const textsOf = async (options: StoreListOptions) =>
      (await store.list('/a/', { ...options, lazyValues: true })).entries.map(({ value }) => textOf(value));
    expect(await textsOf({})).toEqual(['{"a":2}', ...values.slice(1), '{}']);
    expect(await textsOf({ revision })).toEqual([...values, '{}']);
    for (const { key, size, value } of (await store.list('/a/', { lazyValues: true })).entries)
      expect([key, size ?? value.length]).toEqual([key, value.length]);
  });

  it('rejects a future revision', async () => {
    const { store } = await open();
    const { revision } = await store.create('/f', bytes('1'));
    await expect(store.list('/', { revision: revision + 1 })).rejects.toThrow(FutureRevision);
    expect(keysOf(await store.list('/f', { revision }))).toEqual(['/f']);
  });

  it('lists thousands of entries at one revision during writes', async () => {
    const { store } = await open();
    const entries = await fill(store, '/t/', 3000);
    const start = await store.revision();
    const writer = (async () => {
      for (const { key, revision } of entries.slice(0, 100)) await store.delete(key, revision);
    })();
    const page = await store.list('/t/');
    const removed = page.revision - start;
    expect(page.entries).toHaveLength(entries.length - removed);
    expect(page.count).toBe(entries.length - removed);
    await writer;
    expect(await store.list('/t/', { limit: 10 })).toMatchObject({ count: 2900, more: true });
  });
}

/** Creates keys whose values equal the keys; returns the entries in key order. */
async function fill(store: Store, prefix: string, count: number): Promise<Entry[]> {
  const width = String(count - 1).length;
  const keys = Array.from({ length: count }, (_, i) => prefix + String(i).padStart(width, '0'));
  const entries: Entry[] = [];
  while (entries.length < count) {
    const some = keys.slice(entries.length, entries.length + 500);
    entries.push(...(await Promise.all(some.map((key) => store.create(key, bytes(key))))));
  }
  return entries;
}

async function disturb(store: Store, entries: readonly Entry[]): Promise<void> {
  const [removed, rewritten, between] = entries;
  if (removed) await store.delete(removed.key, removed.revision);
  if (rewritten) await store.update(rewritten.key, bytes('changed'), rewritten.revision);
  if (between) await store.create(`${between.key}+`, bytes('new'));
}

async function valuesAt(store: Store, revision: number): Promise<(string | undefined)[]> {
  const { entries } = await store.list('/o/', { revision });
  return entries.map(({ value }) => textOf(value));
}

function keysOf({ entries }: Page): string[] {
  return entries.map(({ key }) => key);
}

function shape({ entries, more, count }: Page): [number, boolean, number] {
  return [entries.length, more, count];
}
