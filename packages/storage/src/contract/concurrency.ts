import { expect, it } from 'vitest';
import { KeyExists, Mismatch, type Store } from '../store.ts';
import { bytes, text } from './bytes.ts';
import type { OpenStore } from './under-test.ts';

const WRITERS = 64;
const INCREMENTS = 2;

export function concurrency(open: OpenStore): void {
  it('counts every increment of 64 writers that compare and swap', async () => {
    const { store } = await open();
    await store.create('/counter', bytes('0'));
    await Promise.all(times(WRITERS, () => incrementOften(store)));
    expect(text((await store.get('/counter'))?.value)).toBe(String(WRITERS * INCREMENTS));
  });

  it('lets one of 64 creators win', async () => {
    const { store } = await open();
    const start = await store.revision();
    const outcomes = await Promise.allSettled(times(WRITERS, (i) => store.create('/one', bytes(String(i)))));
    const won = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i] : []));
    expect(won).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(KeyExists);
    expect(text((await store.get('/one'))?.value)).toBe(String(won[0]));
    expect(await store.revision()).toBe(start + 1);
  });

  it('gives every concurrent write a revision of its own, with no gap', async () => {
    const { store } = await open();
    const start = await store.revision();
    const entries = await Promise.all(times(WRITERS, (i) => store.create(`/many/${i}`, bytes(String(i)))));
    const revisions = entries.map(({ revision }) => revision).sort((a, b) => a - b);
    expect(revisions).toEqual(times(WRITERS, (i) => start + 1 + i));
  });

  it('shows an acknowledged write to every read that follows', async () => {
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
  const next = bytes(String(Number(text(counter?.value)) + 1));
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
