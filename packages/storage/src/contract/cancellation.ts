import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Cancelled, type Store, type StoreWriteOptions } from '../store.ts';
import { bytes, type OpenStore, textOf } from './support.ts';

const ROUNDS = 60;

type Outcome = 'written' | 'cancelled';

/** A write that its caller can cancel. */
class Cancellable {
  isCancelled = false;
  readonly options: StoreWriteOptions = { isCancelled: () => this.isCancelled };
}

export function cancelledWrites(open: OpenStore): void {
  it('does not make a write that is cancelled before the call', async () => {
    const { store } = await open();
    const { revision } = await store.create('/a', bytes('1'));
    const cancelled = { isCancelled: () => true };
    for (const attempt of [
      store.create('/b', bytes('2'), cancelled),
      store.create('/c', bytes('2'), { ...cancelled, ttlSeconds: 60 }),
      store.update('/a', bytes('2'), revision, cancelled),
      store.delete('/a', revision, cancelled),
    ])
      await expect(attempt).rejects.toThrow(Cancelled);
    expect(await store.revision()).toBe(revision);
    expect((await store.list('/')).entries.map(({ key, value }) => [key, textOf(value)])).toEqual([['/a', '1']]);
    expect(store.cancelledUnderWay()).toBeUndefined();
  });

  it.each([0, 1, 2, 5])(
    'never applies a cancelled write after a later read, cancelled %d turns after the call',
    async (turns) => {
      const { store } = await open();
      for (let round = 0; round < ROUNDS; round++) {
        const { outcome, seen } = await cancelAfter(store, round, turns);
        expect(await read(store, round)).toEqual(seen);
        expect(seen).toBe(outcome === 'written' ? 'new' : 'old');
      }
    },
  );

  it('applies the writes queued beside cancelled ones, with no gap in revisions', async () => {
    const { store } = await open();
    const start = await store.revision();
    const writes = Array.from({ length: 40 }, (_, i) => ({ key: `/many/${i}`, cancellable: new Cancellable() }));
    const attempts = writes.map(({ key, cancellable }) => outcomeOf(store.create(key, bytes(key), cancellable.options)));
    for (const [i, { cancellable }] of writes.entries()) cancellable.isCancelled = i % 3 === 0;
    const outcomes = await Promise.all(attempts);
    const { entries, revision } = await store.list('/many/');
    const written = writes.filter((_, i) => outcomes[i] === 'written').map(({ key }) => key);
    expect(entries.map(({ key }) => key)).toEqual(written.sort());
    expect(written.length).toBeGreaterThanOrEqual(26);
    expect(revision).toBe(start + written.length);
  });

  it('re-evaluates writes that were checked on top of a cancelled one', async () => {
    const { store } = await open();
    const { revision } = await store.create('/kept', bytes('old'));
    const cancellable = new Cancellable();
    const attempts = [
      store.delete('/kept', revision, cancellable.options),
      store.create('/new', bytes('cancelled'), cancellable.options),
      store.create('/kept', bytes('new')),
      store.create('/new', bytes('other')),
    ];
    cancellable.isCancelled = true;
    const [removed, created, replaced, other] = (await Promise.allSettled(attempts)).map(({ status }) => status === 'fulfilled');
    if (!removed) expect(replaced).toBe(false);
    expect([created, other].filter(Boolean)).toHaveLength(1);
    const expected = { '/kept': replaced ? 'new' : 'old', '/new': created ? 'cancelled' : 'other' };
    const { entries } = await store.list('/');
    if (!removed || replaced) expect(Object.fromEntries(entries.map(({ key, value }) => [key, textOf(value)]))).toEqual(expected);
  });
}

async function cancelAfter(store: Store, round: number, turns: number): Promise<{ outcome: Outcome; seen: string }> {
  const key = `/round/${round}`;
  const { revision } = await store.create(key, bytes('old'));
  const cancellable = new Cancellable();
  const written = outcomeOf(store.update(key, bytes('new'), revision, cancellable.options));
  for (let turn = 0; turn < turns; turn++) await nextTurn();
  cancellable.isCancelled = true;
  await store.cancelledUnderWay();
  const seen = await read(store, round);
  return { outcome: await written, seen };
}

async function read(store: Store, round: number): Promise<string> {
  return textOf((await store.get(`/round/${round}`))?.value) ?? 'nothing';
}

function outcomeOf(write: Promise<unknown>): Promise<Outcome> {
  return write.then(
    () => 'written',
    (error: unknown) => {
      expect(error).toBeInstanceOf(Cancelled);
      return 'cancelled';
    },
  );
}
