import { expect, it } from 'vitest';
import { Compacted, FutureRevision, type Store } from '../store.ts';
import { bytes, type OpenStore, observe, textOf, watching } from './support.ts';

export function compaction(open: OpenStore): void {
  it('rejects lists and watches of compacted revisions', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await store.compact(last);
    await expect(store.list('/c/', { revision: last - 1 })).rejects.toThrow(Compacted);
    await expect(watching(store, '/c/', last - 1).next()).rejects.toThrow(Compacted);
    await expect(watching(store, '/c/', 1).next()).rejects.toThrow(Compacted);
  });

  it('keeps the newest values and the state of the compacted revision itself', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await store.compact(last);
    expect(await values(store)).toEqual(['a3', 'c1']);
    expect(await values(store, last)).toEqual(['a3', 'c1']);
    expect(textOf((await store.get('/c/a'))?.value)).toBe('a3');
    expect(await store.get('/c/b')).toBeUndefined();
  });

  it('keeps the state at the compacted revision when it is overwritten and deleted later', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await store.compact(last);
    await overwrite(store, '/c/a', 'a4');
    await remove(store, '/c/c');
    expect(await values(store, last)).toEqual(['a3', 'c1']);
    expect(await values(store, last + 1)).toEqual(['a4', 'c1']);
    expect(await values(store)).toEqual(['a4']);
  });

  it('keeps the state at the compacted revision when it was overwritten before the compaction', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await overwrite(store, '/c/a', 'a4');
    await remove(store, '/c/c');
    await store.compact(last);
    expect(await values(store, last)).toEqual(['a3', 'c1']);
    await store.compact(last + 1);
    expect(await values(store, last + 1)).toEqual(['a4', 'c1']);
    await store.compact(last + 2);
    expect(await values(store, last + 2)).toEqual(['a4']);
  });

  it('replays from the revision after the compacted one', async () => {
    const { store } = await open();
    const { last } = await history(store);
    const next = await overwrite(store, '/c/a', 'a4');
    await store.compact(last);
    expect(await observe(store, '/c/', last + 1, next)).toMatchObject([{ key: '/c/a', value: 'a4', revision: next }]);
  });

  it('reports the previous value even if its revision is compacted', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await store.compact(last);
    const next = await overwrite(store, '/c/a', 'a4');
    await remove(store, '/c/c');
    const expected = [
      { key: '/c/a', previous: [last, 'a3'] },
      { type: 'delete', key: '/c/c', previous: [last - 1, 'c1'] },
    ];
    expect(await observe(store, '/c/', last + 1, next + 1)).toMatchObject(expected);
    await store.compact(last);
    expect(await observe(store, '/c/', last + 1, next + 1)).toMatchObject(expected);
  });

  it('does not disturb watches that have caught up', async () => {
    const { store } = await open();
    const { last } = await history(store);
    const live = watching(store, '/c/', last + 1);
    await live.next();
    await store.compact(last);
    const next = await overwrite(store, '/c/a', 'a4');
    expect(await live.change()).toMatchObject({ value: 'a4', revision: next });
    live.stop();
  });

  it('is idempotent, and rejects a future revision', async () => {
    const { store } = await open();
    const { last } = await history(store);
    await store.compact(last);
    await store.compact(last);
    await store.compact(last - 2);
    await expect(store.list('/c/', { revision: last - 1 })).rejects.toThrow(Compacted);
    await expect(store.compact(last + 1)).rejects.toThrow(FutureRevision);
  });

  it('compacts during writes', async () => {
    const { store } = await open();
    const keys = Array.from({ length: 20 }, (_, i) => `/c/${i}`);
    await Promise.all(keys.map((key) => store.create(key, bytes('0'))));
    let done = false;
    const writing = Promise.all(keys.map((key) => overwriteOften(store, key, 30))).finally(() => {
      done = true;
    });
    while (!done) await store.compact(await store.revision());
    await writing;
    expect(await values(store)).toEqual(keys.map(() => '30'));
    const newest = await store.revision();
    expect(await values(store, newest)).toEqual(keys.map(() => '30'));
  });
}

/** Leaves /c/a at its third value, /c/b deleted and /c/c at its first value. */
async function history(store: Store): Promise<{ readonly last: number }> {
  const a = await store.create('/c/a', bytes('a1'));
  const b = await store.create('/c/b', bytes('b1'));
  const a2 = await store.update('/c/a', bytes('a2'), a.revision);
  await store.delete('/c/b', b.revision);
  await store.create('/c/c', bytes('c1'));
  const { revision } = await store.update('/c/a', bytes('a3'), a2.revision);
  return { last: revision };
}

async function overwrite(store: Store, key: string, value: string): Promise<number> {
  const current = await store.get(key);
  return (await store.update(key, bytes(value), current?.revision ?? 0)).revision;
}

async function overwriteOften(store: Store, key: string, count: number): Promise<void> {
  for (let i = 1; i <= count; i++) await overwrite(store, key, String(i));
}

async function remove(store: Store, key: string): Promise<void> {
  const current = await store.get(key);
  await store.delete(key, current?.revision ?? 0);
}

async function values(store: Store, revision?: number): Promise<(string | undefined)[]> {
  const { entries } = await store.list('/c/', { revision });
  return entries.map(({ value }) => textOf(value));
}
