import { expect, it, type TestContext } from 'vitest';
import type { Entry, Store } from '../store.ts';
import { bytes, text } from './bytes.ts';
import type { OpenStore } from './under-test.ts';

export function valueAt(open: OpenStore): void {
  it('gives what a revision wrote, the newest and those before', async (context) => {
    const { store, read } = await readable(open, context);
    const a = await store.create('/a', bytes('1'));
    const b = await store.create('/b', bytes('2'));
    const a2 = await store.update('/a', bytes('3'), a.revision);
    expect([a, b, a2].map(read)).toEqual(['1', '2', '3']);
  });

  it('gives the newest of a key after everything before it is gone', async (context) => {
    const { store, read } = await readable(open, context);
    const a = await store.create('/a', bytes('1'));
    const a2 = await store.update('/a', bytes('2'), a.revision);
    const b = await store.create('/b', bytes('3'));
    const last = await store.create('/c', bytes('4'));
    await store.compact(last.revision);
    expect([a2, b, last].map(read)).toEqual(['2', '3', '4']);
  });

  it('gives what was overwritten after the compacted revision', async (context) => {
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
  return { store, read: ({ revision, key }) => text(store.valueAt?.(revision, key)) as string };
}
