import { expect, it } from 'vitest';
import type { Entry, Store } from '../store.ts';
import { bytes, text } from './bytes.ts';
import { observe, type Seen } from './observing.ts';
import { type Random, seeded } from './random.ts';
import type { OpenStore } from './under-test.ts';

const WRITERS = 16;
const WRITES = 40;
const WATCHERS = 8;
const PREFIXES = ['/load/', '/load/even/', '/other/'];

export function watchesUnderLoad(open: OpenStore): void {
  it('shows each revision exactly once and in order to watchers that start anywhere', async () => {
    const { store } = await open();
    const random = seeded(20);
    const start = await store.revision();
    const end = start + WRITERS * WRITES;
    const written: Seen[] = [];
    const writing = Array.from({ length: WRITERS }, (_, writer) => writeOften(store, writer, random, written));
    const watching = Array.from({ length: WATCHERS }, (_, i) => watchSomewhere(store, start, end, random, i));
    await Promise.all(writing);
    expect(await store.revision()).toBe(end);
    // A watch of one prefix may learn of the end only from a change in it.
    for (const prefix of PREFIXES) await put(store, `${prefix}end`, 'end', written);
    written.sort((a, b) => a.revision - b.revision);
    for (const { prefix, from, changes } of await Promise.all(watching)) {
      const expected = written.filter(({ key, revision }) => key.startsWith(prefix) && revision >= from && revision <= end);
      expect(changes.filter(({ revision }) => revision <= end)).toEqual(expected);
    }
  });
}

async function watchSomewhere(store: Store, start: number, end: number, random: Random, index: number) {
  const prefix = PREFIXES[index % PREFIXES.length] as string;
  const late = (await store.revision()) - start;
  const from = start + 1 + random(late + 20);
  return { prefix, from, changes: await observe(store, prefix, from, end) };
}

/** Each writer has keys of its own, so that every write succeeds and the sum of writes is known. */
async function writeOften(store: Store, writer: number, random: Random, written: Seen[]): Promise<void> {
  const entries = new Map<string, Entry>();
  for (let i = 0; i < WRITES; i++) {
    const prefix = PREFIXES[random(PREFIXES.length)] as string;
    const key = `${prefix}${writer}-${random(4)}`;
    const entry = entries.get(key);
    if (!entry) entries.set(key, await put(store, key, `${writer}.${i}`, written));
    else if (random(3) === 0) await remove(store, entry, entries, written);
    else entries.set(key, await put(store, key, `${writer}.${i}`, written, entry));
  }
}

async function put(store: Store, key: string, value: string, written: Seen[], before?: Entry): Promise<Entry> {
  const entry = before ? await store.update(key, bytes(value), before.revision) : await store.create(key, bytes(value));
  written.push({ type: 'put', key, value, revision: entry.revision, previous: before && [before.revision, text(before.value)] });
  return entry;
}

async function remove(store: Store, entry: Entry, entries: Map<string, Entry>, written: Seen[]): Promise<void> {
  const revision = await store.delete(entry.key, entry.revision);
  const value = text(entry.value);
  entries.delete(entry.key);
  written.push({ type: 'delete', key: entry.key, value, revision, previous: [entry.revision, value] });
}
