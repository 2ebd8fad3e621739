import { expect, it, type TestContext } from 'vitest';
import { Mismatch, type Store, Unavailable } from '../store.ts';
import { bytes, text } from './bytes.ts';
import { observe, watching } from './observing.ts';
import type { OpenStore } from './under-test.ts';

const KEYS = 300;

export function trim(open: OpenStore): void {
  it('leaves everything as it was', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    const b = await store.create('/b', bytes('3'));
    await trimmed();
    expect(await store.revision()).toBe(b.revision);
    expect(await store.get('/a')).toMatchObject({ revision: a2.revision, created: a.revision });
    expect((await store.list('/')).entries.map(({ value }) => text(value))).toEqual(['2', '3']);
    expect((await store.list('/', { revision: a.revision })).entries.map(({ value }) => text(value))).toEqual(['1']);
    expect(await observe(store, '/', a.revision, b.revision)).toHaveLength(3);
    await expect(store.update('/a', bytes('4'), a.revision)).rejects.toThrow(Mismatch);
    expect((await store.update('/a', bytes('4'), a2.revision)).revision).toBe(b.revision + 1);
  });

  it('loses no write that is under way', async (context) => {
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
    expect(entries.map(({ key, value }) => `${key} ${text(value)}`).sort()).toEqual(
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

  it('disturbs no read that is under way', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    await Promise.all(Array.from({ length: KEYS }, (_, i) => store.create(`/a/${i}`, Buffer.alloc(20_000, i))));
    const { revision } = await store.create('/b', bytes('1'));
    const whole = store.list('/a/');
    const reads = Array.from({ length: 20 }, async (_, i) => {
      if (i % 5 === 0) await trimmed();
      expect((await store.get(`/a/${i}`))?.value[0]).toBe(i);
      expect(text(store.valueAt?.(revision, '/b'))).toBe(store.valueAt && '1');
      return (await store.list('/a/', { limit: 10 })).entries.length;
    });
    expect(new Set(await Promise.all(reads))).toEqual(new Set([10]));
    expect((await whole).entries).toHaveLength(KEYS);
  });

  it('may be asked for again and again', async (context) => {
    const { store, trimmed } = await trimmable(open, context);
    let { revision } = await store.create('/a', bytes('0'));
    for (let i = 1; i <= 30; i++) {
      ({ revision } = await store.update('/a', bytes(String(i)), revision));
      await trimmed();
      expect(text(store.valueAt?.(revision, '/a'))).toBe(store.valueAt && String(i));
    }
    await store.compact(revision);
    await trimmed();
    expect(text((await store.get('/a'))?.value)).toBe('30');
  });

  it('is refused once closed, and does not open the store again', async (context) => {
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
