import { expect, it, type TestContext } from 'vitest';
import { Compacted, Unavailable } from '../store.ts';
import { bytes, type OpenStore, observe, type StoreUnderTest, textOf, watching } from './support.ts';

export function lifecycle(open: OpenStore): void {
  it('ends watches and rejects all calls once closed', async () => {
    const { store } = await open();
    const { revision } = await store.create('/a', bytes('1'));
    const waiting = watching(store, '/', revision + 1);
    await waiting.next();
    const next = waiting.next();
    await store.close();
    expect((await next).done).toBe(true);
    await expect(store.get('/a')).rejects.toThrow(Unavailable);
    await expect(store.list('/')).rejects.toThrow(Unavailable);
    await expect(store.create('/b', bytes('1'))).rejects.toThrow(Unavailable);
    await expect(store.ping()).rejects.toThrow(Unavailable);
    await store.close();
  });

  it('finishes writes in flight before it closes', async (context) => {
    const { store, reopen } = await reopenable(open, context);
    const writes = Array.from({ length: 20 }, (_, i) => store.create(`/a/${i}`, bytes(String(i))));
    await store.close();
    const settled = await Promise.allSettled(writes);
    const acknowledged = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.key] : []));
    const again = await reopen();
    const { entries } = await again.store.list('/a/');
    expect(entries.map(({ key }) => key)).toEqual(expect.arrayContaining(acknowledged));
  });

  it('keeps all data when it is reopened', async (context) => {
    const { store, reopen } = await reopenable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    const b = await store.create('/b', bytes('1'));
    const removed = await store.delete('/b', b.revision);
    const again = (await reopen()).store;
    expect(await again.revision()).toBe(removed);
    expect(await again.get('/a')).toMatchObject({ revision: a2.revision, created: a.revision });
    expect(textOf((await again.list('/', { revision: b.revision })).entries[1]?.value)).toBe('1');
    expect((await observe(again, '/', a.revision, removed)).map(({ revision }) => revision)).toEqual([
      a.revision,
      a2.revision,
      b.revision,
      removed,
    ]);
    expect((await again.create('/c', bytes('1'))).revision).toBe(removed + 1);
  });

  it('keeps the compacted revision when it is reopened', async (context) => {
    const { store, reopen } = await reopenable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    await store.compact(a2.revision);
    const again = (await reopen()).store;
    await expect(again.list('/', { revision: a.revision })).rejects.toThrow(Compacted);
    expect(textOf((await again.get('/a'))?.value)).toBe('2');
  });

  it('deletes keys that expired while it was closed', async (context) => {
    const { store, reopen } = await reopenable(open, context);
    const { revision } = await store.create('/a', bytes('1'), { ttlSeconds: 1 });
    const again = await reopen();
    const live = watching(again.store, '/', revision + 1);
    await live.next();
    again.advance?.(2);
    expect(await live.change()).toMatchObject({ type: 'delete', key: '/a', value: '1' });
    live.stop();
  });
}

async function reopenable(open: OpenStore, context: TestContext): Promise<Required<Pick<StoreUnderTest, 'store' | 'reopen'>>> {
  const { store, reopen } = await open();
  return reopen ? { store, reopen } : context.skip('this store keeps nothing');
}
