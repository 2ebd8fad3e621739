import { expect, it, type TestContext } from 'vitest';
import type { Batch, Store } from '../store.ts';
import { bytes } from './bytes.ts';
import { type Seen, seen } from './observing.ts';
import type { OpenStore } from './under-test.ts';

export function tap(open: OpenStore): void {
  it('hears of a write before it is acknowledged', async (context) => {
    const { store, heard } = await tapped(open, context);
    const a = await store.create('/a', bytes('1'));
    expect(heard).toEqual([{ type: 'put', key: '/a', value: '1', revision: a.revision, previous: undefined }]);
    const a2 = await store.update('/a', bytes('2'), a.revision);
    expect(heard.at(-1)).toEqual({ type: 'put', key: '/a', value: '2', revision: a2.revision, previous: [a.revision, '1'] });
    const removed = await store.delete('/a', a2.revision);
    expect(heard.at(-1)).toEqual({ type: 'delete', key: '/a', value: '2', revision: removed, previous: [a2.revision, '2'] });
  });

  it('hears of every write in order, under concurrent writers', async (context) => {
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

  it('hears of a write that another listener makes after the write that caused it', async (context) => {
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

  it('hears nothing of what failed, nor after it was ended', async (context) => {
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
