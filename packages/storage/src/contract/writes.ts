import { expect, it } from 'vitest';
import { KeyExists, Mismatch, type Store } from '../store.ts';
import { bytes, type OpenStore, textOf } from './support.ts';

export function writes(open: OpenStore): void {
  it('starts empty at a revision that is not zero', async () => {
    const { store } = await open();
    expect(await store.revision()).toBeGreaterThanOrEqual(1);
    expect(await store.get('/a')).toBeUndefined();
    await store.ping();
  });

  it('numbers every write with the next revision', async () => {
    const { store } = await open();
    const start = await store.revision();
    const created = await store.create('/a', bytes('1'));
    expect(created).toMatchObject({ key: '/a', revision: start + 1, created: start + 1 });
    const other = await store.create('/b', bytes('1'));
    expect(other.revision).toBe(start + 2);
    const updated = await store.update('/a', bytes('2'), created.revision);
    expect(updated).toMatchObject({ key: '/a', revision: start + 3, created: start + 1 });
    expect(await store.delete('/a', updated.revision)).toBe(start + 4);
    expect(await store.revision()).toBe(start + 4);
  });

  it('returns the last value written', async () => {
    const { store } = await open();
    const created = await store.create('/a', bytes('one'));
    expect(await store.get('/a')).toMatchObject(created);
    const updated = await store.update('/a', bytes('two'), created.revision);
    const found = await store.get('/a');
    expect(found).toMatchObject({ key: '/a', revision: updated.revision, created: created.revision });
    expect(textOf(found?.value)).toBe('two');
    await store.delete('/a', updated.revision);
    expect(await store.get('/a')).toBeUndefined();
  });

  it('rejects the creation of a key that exists', async () => {
    const { store } = await open();
    const { revision } = await store.create('/a', bytes('1'));
    await expect(store.create('/a', bytes('2'))).rejects.toThrow(KeyExists);
    expect(await store.revision()).toBe(revision);
    expect(textOf((await store.get('/a'))?.value)).toBe('1');
  });

  it('creates a deleted key again', async () => {
    const { store } = await open();
    const first = await store.create('/a', bytes('1'));
    const removed = await store.delete('/a', first.revision);
    const second = await store.create('/a', bytes('2'));
    expect(second).toMatchObject({ revision: removed + 1, created: removed + 1 });
    await expect(store.update('/a', bytes('3'), first.revision)).rejects.toThrow(Mismatch);
  });

  it('reports a mismatch with the current entry', async () => {
    const { store } = await open();
    const { revision } = await store.create('/a', bytes('1'));
    for (const attempt of [store.update('/a', bytes('2'), revision + 7), store.delete('/a', revision - 1)]) {
      const mismatch = await mismatchOf(attempt);
      expect(mismatch.current).toMatchObject({ key: '/a', revision, created: revision });
      expect(textOf(mismatch.current?.value)).toBe('1');
    }
    expect(await store.revision()).toBe(revision);
  });

  it('reports a mismatch without entry for a missing or deleted key', async () => {
    const { store } = await open();
    const { revision } = await store.create('/gone', bytes('1'));
    await store.delete('/gone', revision);
    for (const key of ['/gone', '/never']) {
      expect((await mismatchOf(store.update(key, bytes('2'), revision))).current).toBeUndefined();
      expect((await mismatchOf(store.delete(key, revision))).current).toBeUndefined();
    }
  });

  it('keeps empty values and values of 1.5 MiB', async () => {
    const { store } = await open();
    const big = Buffer.alloc(1.5 * 1024 * 1024 - 512);
    for (let i = 0; i < big.length; i++) big[i] = (i * 31) % 251;
    await Promise.all([store.create('/empty', new Uint8Array()), store.create('/big', big), store.create('/small', bytes('s'))]);
    expect((await store.get('/empty'))?.value.byteLength).toBe(0);
    expect(Buffer.compare((await store.get('/big'))?.value ?? bytes(''), big)).toBe(0);
    const page = await store.list('/');
    expect(page.entries.map(({ value }) => value.byteLength)).toEqual([big.length, 0, 1]);
    expect(Buffer.compare(page.entries[0]?.value ?? bytes(''), big)).toBe(0);
  });

  it('keeps bytes that are not UTF-8', async () => {
    const { store } = await open();
    const value = Uint8Array.from({ length: 256 }, (_, i) => 255 - i);
    await store.create('/bytes', value);
    expect(Buffer.from((await store.get('/bytes'))?.value ?? []).equals(value)).toBe(true);
  });
}

async function mismatchOf(attempt: Promise<unknown>): Promise<Mismatch> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Mismatch);
  return error as Mismatch;
}

const WRITERS = 64;
const INCREMENTS = 2;

export function concurrency(open: OpenStore): void {
  it('loses no increment of 64 compare-and-swap writers', async () => {
    const { store } = await open();
    await store.create('/counter', bytes('0'));
    await Promise.all(times(WRITERS, () => incrementOften(store)));
    expect(textOf((await store.get('/counter'))?.value)).toBe(String(WRITERS * INCREMENTS));
  });

  it('lets exactly one of 64 creators win', async () => {
    const { store } = await open();
    const start = await store.revision();
    const outcomes = await Promise.allSettled(times(WRITERS, (i) => store.create('/one', bytes(String(i)))));
    const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(KeyExists);
    expect(textOf((await store.get('/one'))?.value)).toBe(String(won[0]));
    expect(await store.revision()).toBe(start + 1);
  });

  it('gives every concurrent write its own revision, with no gap', async () => {
    const { store } = await open();
    const start = await store.revision();
    const entries = await Promise.all(times(WRITERS, (i) => store.create(`/many/${i}`, bytes(String(i)))));
    const revisions = entries.map(({ revision }) => revision).sort((a, b) => a - b);
    expect(revisions).toEqual(times(WRITERS, (i) => start + 1 + i));
  });

  it('shows an acknowledged write to every later read', async () => {
    const { store } = await open();
    await Promise.all(
      times(WRITERS, async (i) => {
        const { revision } = await store.create(`/seen/${i}`, bytes(String(i)));
        expect(await store.revision()).toBeGreaterThanOrEqual(revision);
        expect((await store.get(`/seen/${i}`))?.revision).toBe(revision);
        const page = await store.list('/seen/');
        expect(page.revision).toBeGreaterThanOrEqual(revision);
        expect(page.entries.map(({ key }) => key)).toContain(`/seen/${i}`);
      }),
    );
  });
}

async function incrementOften(store: Store): Promise<void> {
  for (let done = 0; done < INCREMENTS; ) if (await increment(store)) done++;
}

async function increment(store: Store): Promise<boolean> {
  const counter = await store.get('/counter');
  const next = bytes(String(Number(textOf(counter?.value)) + 1));
  return store.update('/counter', next, counter?.revision ?? 0).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Mismatch)) throw error;
      return false;
    },
  );
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
