import { expect, it } from 'vitest';
import type { Change, Entry, Store } from '../store.ts';
import { bytes, type OpenStore, observe, type SeededRandom, type Seen, seeded, textOf, watching } from './support.ts';

export function storeWatches(open: OpenStore): void {
  it('replays every change from a revision, then follows', async () => {
    const { store } = await open();
    const a = await store.create('/w/a', bytes('1'));
    const a2 = await store.update('/w/a', bytes('2'), a.revision);
    const removed = await store.delete('/w/a', a2.revision);
    expect(await observe(store, '/w/', a.revision, removed)).toEqual([
      { type: 'put', key: '/w/a', value: '1', revision: a.revision },
      { type: 'put', key: '/w/a', value: '2', revision: a2.revision, previous: [a.revision, '1'] },
      { type: 'delete', key: '/w/a', value: '2', revision: removed, previous: [a2.revision, '2'] },
    ]);
    expect(await observe(store, '/w/', removed, removed)).toHaveLength(1);
  });

  it('reports a delete with the last value, its own revision and the creation revision', async () => {
    const { store } = await open();
    const a = await store.create('/w/a', bytes('1'));
    const a2 = await store.update('/w/a', bytes('last'), a.revision);
    const live = watching(store, '/w/', a2.revision + 1);
    await live.next();
    const removed = await store.delete('/w/a', a2.revision);
    const removal = { type: 'delete', key: '/w/a', value: 'last', revision: removed, previous: [a2.revision, 'last'] };
    expect(await live.change()).toEqual(removal);
    live.stop();
    const [first] = await changesFrom(store, '/w/', removed);
    expect(first?.entry).toMatchObject({ key: '/w/a', revision: removed, created: a.revision });
    expect(first?.previous).toMatchObject({ key: '/w/a', revision: a2.revision, created: a.revision });
  });

  it('reports the previous value of live changes', async () => {
    const { store } = await open();
    const a = await store.create('/w/a', bytes('1'));
    const live = watching(store, '/w/', a.revision + 1);
    await live.next();
    const a2 = await store.update('/w/a', bytes('2'), a.revision);
    expect((await live.change()).previous).toEqual([a.revision, '1']);
    const removed = await store.delete('/w/a', a2.revision);
    expect((await live.change()).previous).toEqual([a2.revision, '2']);
    await store.create('/w/a', bytes('3'));
    expect(await live.change()).toEqual({ type: 'put', key: '/w/a', value: '3', revision: removed + 1, previous: undefined });
    live.stop();
  });

  it('reports at once that it has caught up, even without changes', async () => {
    const { store } = await open();
    const { revision } = await store.create('/elsewhere', bytes('1'));
    const empty = watching(store, '/w/', revision + 1);
    const first = await empty.next();
    expect(first.value).toMatchObject({ changes: [] });
    expect(first.value?.revision).toBeGreaterThanOrEqual(revision);
    const replayed = watching(store, '/w/', revision);
    for (let covered = 0; covered < revision; ) covered = (await replayed.next()).value?.revision ?? 0;
    empty.stop();
    replayed.stop();
  });

  it('delivers writes as they happen', async () => {
    const { store } = await open();
    const start = await store.revision();
    const live = watching(store, '/w/', start + 1);
    await live.next();
    const a = await store.create('/w/a', bytes('1'));
    expect(await live.change()).toEqual({ type: 'put', key: '/w/a', value: '1', revision: a.revision, previous: undefined });
    const b = await store.create('/w/b', bytes('2'));
    expect(await live.change()).toEqual({ type: 'put', key: '/w/b', value: '2', revision: b.revision, previous: undefined });
    live.stop();
  });

  it('ignores keys outside the prefix', async () => {
    const { store } = await open();
    const start = await store.revision();
    const live = watching(store, '/a/', start + 1);
    await live.next();
    for (const key of ['/a', '/ab', '/b', '/a/', '/a0', '/a/b']) await store.create(key, bytes(key));
    expect((await live.change()).key).toBe('/a/');
    expect((await live.change()).key).toBe('/a/b');
    live.stop();
    const replayed = await observe(store, '/a/', start + 1, start + 6);
    expect(replayed.map(({ key }) => key)).toEqual(['/a/', '/a/b']);
  });

  it('waits for a future revision', async () => {
    const { store } = await open();
    const start = await store.revision();
    const live = watching(store, '/w/', start + 3);
    await live.next();
    for (const key of ['/w/1', '/w/2', '/w/3']) await store.create(key, bytes(key));
    expect(await live.change()).toMatchObject({ key: '/w/3', revision: start + 3 });
    live.stop();
  });

  it('ends when the signal aborts, idle or not', async () => {
    const { store } = await open();
    const start = await store.revision();
    const waiting = watching(store, '/w/', start + 1);
    await waiting.next();
    const next = waiting.next();
    waiting.stop();
    expect((await next).done).toBe(true);
    const busy = watching(store, '/w/', start + 1);
    await busy.next();
    busy.stop();
    await store.create('/w/a', bytes('1'));
    expect((await busy.next()).done).toBe(true);
    const never = watching(store, '/w/', start + 1);
    never.stop();
    expect((await never.next()).done).toBe(true);
  });

  it('serves a slow reader without losing changes', async () => {
    const { store } = await open();
    const start = await store.revision();
    const slow = watching(store, '/w/', start + 1);
    await slow.next();
    const value = Buffer.alloc(1024, 'x');
    for (let i = 0; i < 6000; i += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, j) => store.create(`/w/${i + j}`, value)));
    }
    const revisions: number[] = [];
    while (revisions.length < 6000) {
      const { value: batch } = await slow.next();
      for (const { entry } of batch?.changes ?? []) revisions.push(entry.revision);
    }
    expect(revisions).toEqual(Array.from({ length: 6000 }, (_, i) => start + 1 + i));
    slow.stop();
  });
}

async function changesFrom(store: Store, prefix: string, from: number): Promise<readonly Change[]> {
  for await (const { changes } of store.watch(prefix, from, AbortSignal.timeout(10_000))) if (changes.length > 0) return changes;
  return [];
}

const WRITERS = 16;
const WRITES = 40;
const WATCHERS = 8;
const PREFIXES = ['/load/', '/load/even/', '/other/'];

export function watchesUnderLoad(open: OpenStore): void {
  it('delivers each revision exactly once and in order, wherever a watch starts', async () => {
    const { store } = await open();
    const random = seeded(20);
    const start = await store.revision();
    const end = start + WRITERS * WRITES;
    const written: Seen[] = [];
    const writing = Array.from({ length: WRITERS }, (_, writer) => writeOften(store, writer, random, written));
    const watching = Array.from({ length: WATCHERS }, (_, i) => watchSomewhere(store, start, end, random, i));
    await Promise.all(writing);
    expect(await store.revision()).toBe(end);
    // A watch of a prefix may notice the end only by a change below it.
    for (const prefix of PREFIXES) await put(store, `${prefix}end`, 'end', written);
    written.sort((a, b) => a.revision - b.revision);
    for (const { prefix, from, changes } of await Promise.all(watching)) {
      const expected = written.filter(({ key, revision }) => key.startsWith(prefix) && revision >= from && revision <= end);
      expect(changes.filter(({ revision }) => revision <= end)).toEqual(expected);
    }
  });
}

async function watchSomewhere(store: Store, start: number, end: number, random: SeededRandom, index: number) {
  const prefix = PREFIXES[index % PREFIXES.length] ?? '';
  const late = (await store.revision()) - start;
  const from = start + 1 + random(late + 20);
  return { prefix, from, changes: await observe(store, prefix, from, end) };
}

/** Each writer has its own keys, so every write succeeds and the number of writes is known. */
async function writeOften(store: Store, writer: number, random: SeededRandom, written: Seen[]): Promise<void> {
  const entries = new Map<string, Entry>();
  for (let i = 0; i < WRITES; i++) {
    const prefix = PREFIXES[random(PREFIXES.length)] ?? '';
    const key = `${prefix}${writer}-${random(4)}`;
    const entry = entries.get(key);
    if (!entry) entries.set(key, await put(store, key, `${writer}.${i}`, written));
    else if (random(3) === 0) await remove(store, entry, entries, written);
    else entries.set(key, await put(store, key, `${writer}.${i}`, written, entry));
  }
}

async function put(store: Store, key: string, value: string, written: Seen[], before?: Entry): Promise<Entry> {
  const entry = before ? await store.update(key, bytes(value), before.revision) : await store.create(key, bytes(value));
  written.push({
    type: 'put',
    key,
    value,
    revision: entry.revision,
    previous: before && [before.revision, textOf(before.value)],
  });
  return entry;
}

async function remove(store: Store, entry: Entry, entries: Map<string, Entry>, written: Seen[]): Promise<void> {
  const revision = await store.delete(entry.key, entry.revision);
  const value = textOf(entry.value);
  entries.delete(entry.key);
  written.push({ type: 'delete', key: entry.key, value, revision, previous: [entry.revision, value] });
}
