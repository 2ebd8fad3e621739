import { expect, it, type TestContext } from 'vitest';
import { type Batch, type Entry, Mismatch, type Store, Unavailable } from '../store.ts';
import { bytes, type OpenStore, observe, type Seen, seen, textOf, watching } from './support.ts';

export function tap(open: OpenStore): void {
  it('receives a write before it is acknowledged', async (context) => {
    const { store, heard } = await tapped(open, context);
    const a = await store.create('/a', bytes('1'));
    expect(heard).toEqual([{ type: 'put', key: '/a', value: '1', revision: a.revision, previous: undefined }]);
    const a2 = await store.update('/a', bytes('2'), a.revision);
    expect(heard.at(-1)).toEqual({ type: 'put', key: '/a', value: '2', revision: a2.revision, previous: [a.revision, '1'] });
    const removed = await store.delete('/a', a2.revision);
    expect(heard.at(-1)).toEqual({ type: 'delete', key: '/a', value: '2', revision: removed, previous: [a2.revision, '2'] });
  });

  it('receives every write in order, with concurrent writers', async (context) => {
    const { store, heard } = await tapped(open, context);
    const start = await store.revision();
    await Promise.all(
      Array.from({ length: 64 }, async (_, i) => {
        const { revision } = await store.create(`/${i}`, bytes(String(i)));
        expect(heard.at(-1)?.revision).toBeGreaterThanOrEqual(revision);
      }),
    );
    expect(heard.map(({ revision }) => revision)).toEqual(Array.from({ length: 64 }, (_, i) => start + 1 + i));
  });

  it('receives the write of a listener after the write that caused it', async (context) => {
    const { store } = await open();
    const caused: Promise<unknown>[] = [];
    const write = ({ changes }: Batch) => {
      if (changes.some(({ entry }) => entry.key === '/cause')) caused.push(store.create('/effect', bytes('1')));
    };
    if (!store.tap?.(write)) return context.skip('this store has no tap');
    const heard: string[] = [];
    store.tap(({ changes }) => heard.push(...changes.map(({ entry }) => entry.key)));
    await store.create('/cause', bytes('1'));
    await Promise.all(caused);
    expect(heard).toEqual(['/cause', '/effect']);
  });

  it('receives no failed writes, and nothing after it was removed', async (context) => {
    const { store, heard, end } = await tapped(open, context);
    await store.create('/a', bytes('1'));
    await expect(store.create('/a', bytes('2'))).rejects.toThrow();
    end();
    await store.create('/b', bytes('1'));
    expect(heard).toHaveLength(1);
  });
}

interface Tapped {
  readonly store: Store;
  readonly heard: Seen[];
  end(): void;
}

async function tapped(open: OpenStore, context: TestContext): Promise<Tapped> {
  const { store } = await open();
  const heard: Seen[] = [];
  const end = store.tap?.((batch) => heard.push(...batch.changes.map(seen)));
  if (!end) return context.skip('this store has no tap');
  return { store, heard, end };
}

export function valueAt(open: OpenStore): void {
  it('returns the value of a revision, newest or older', async (context) => {
    const { store, read } = await readable(open, context);
    const a = await store.create('/a', bytes('1'));
    const b = await store.create('/b', bytes('2'));
    const a2 = await store.update('/a', bytes('3'), a.revision);
    expect([a, b, a2].map(read)).toEqual(['1', '2', '3']);
  });

  it('returns the newest value after compaction', async (context) => {
    const { store, read } = await readable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    const b = await store.create('/b', bytes('3'));
    const last = await store.create('/c', bytes('4'));
    await store.compact(last.revision);
    expect([a2, b, last].map(read)).toEqual(['2', '3', '4']);
  });

  it('returns values that were overwritten after the compacted revision', async (context) => {
    const { store, read } = await readable(open, context);
    const a = await store.create('/a', bytes('1'));
    const b = await store.create('/b', bytes('2'));
    await store.update('/a', bytes('3'), a.revision);
    await store.compact(b.revision);
    expect(read(a)).toBe('1');
  });
}

async function readable(open: OpenStore, context: TestContext): Promise<{ store: Store; read: (entry: Entry) => string }> {
  const { store } = await open();
  if (!store.valueAt) context.skip('the store is elsewhere');
  return { store, read: ({ revision, key }) => textOf(store.valueAt?.(revision, key)) as string };
}

const KEYS = 300;

export function trim(open: OpenStore): void {
  it('changes no data', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    const b = await store.create('/b', bytes('3'));
    await trimmed();
    expect(await store.revision()).toBe(b.revision);
    expect(await store.get('/a')).toMatchObject({ revision: a2.revision, created: a.revision });
    expect((await store.list('/')).entries.map(({ value }) => textOf(value))).toEqual(['2', '3']);
    expect((await store.list('/', { revision: a.revision })).entries.map(({ value }) => textOf(value))).toEqual(['1']);
    expect(await observe(store, '/', a.revision, b.revision)).toHaveLength(3);
    await expect(store.update('/a', bytes('4'), a.revision)).rejects.toThrow(Mismatch);
    expect((await store.update('/a', bytes('4'), a2.revision)).revision).toBe(b.revision + 1);
  });

  it('loses no write in flight', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    const live = watching(store, '/', 1);
    await live.next();
    const writes = Array.from({ length: KEYS }, async (_, i) => {
      const { revision } = await store.create(`/a/${i}`, bytes('1'));
      if (i % 50 === 0) await trimmed();
      return store.update(`/a/${i}`, bytes(`2 ${i}`), revision);
    });
    await Promise.all([...writes, trimmed(), trimmed()]);
    const { entries } = await store.list('/a/');
    expect(entries.map(({ key, value }) => `${key} ${textOf(value)}`).sort()).toEqual(
      Array.from({ length: KEYS }, (_, i) => `/a/${i} 2 ${i}`).sort(),
    );
    let last = 0;
    for (let seen = 0; seen < 2 * KEYS; seen++) {
      const { revision } = await live.change();
      expect(revision).toBe(last ? last + 1 : revision);
      last = revision;
    }
    live.stop();
  });

  it('disturbs no read in flight', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    await Promise.all(Array.from({ length: KEYS }, (_, i) => store.create(`/a/${i}`, Buffer.alloc(20_000, i))));
    const { revision } = await store.create('/b', bytes('1'));
    const whole = store.list('/a/');
    const reads = Array.from({ length: 20 }, async (_, i) => {
      if (i % 5 === 0) await trimmed();
      expect((await store.get(`/a/${i}`))?.value[0]).toBe(i);
      expect(textOf(store.valueAt?.(revision, '/b'))).toBe(store.valueAt && '1');
      return (await store.list('/a/', { limit: 10 })).entries.length;
    });
    expect(new Set(await Promise.all(reads))).toEqual(new Set([10]));
    expect((await whole).entries).toHaveLength(KEYS);
  });

  it('can be called repeatedly', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    let { revision } = await store.create('/a', bytes('0'));
    for (let i = 1; i <= 30; i++) {
      ({ revision } = await store.update('/a', bytes(String(i)), revision));
      await trimmed();
      expect(textOf(store.valueAt?.(revision, '/a'))).toBe(store.valueAt && String(i));
    }
    await store.compact(revision);
    await trimmed();
    expect(textOf((await store.get('/a'))?.value)).toBe('30');
  });

  it('rejects once closed, and does not reopen the store', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    const late = trimmed();
    await store.close();
    await Promise.allSettled([late]);
    await expect(trimmed()).rejects.toThrow(Unavailable);
    await expect(store.get('/a')).rejects.toThrow(Unavailable);
  });
}

async function trimmable(open: OpenStore, context: TestContext): Promise<{ store: Store; trimmed: () => Promise<void> }> {
  const { store } = await open();
  if (!store.trim) context.skip('the store maps nothing');
  return { store, trimmed: async () => store.trim?.() };
}
