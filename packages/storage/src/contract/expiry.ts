import { expect, it } from 'vitest';
import { bytes, type OpenStore, watching } from './support.ts';

export function expiry(open: OpenStore): void {
  it('deletes a key when it expires, and watchers see it', async () => {
    const { store, advance } = await open();
    const { revision } = await store.create('/t/a', bytes('brief'), { ttlSeconds: 1 });
    await store.create('/t/stays', bytes('long'));
    const live = watching(store, '/t/', revision + 2);
    await live.next();
    advance?.(2);
    const removal = await live.change();
    expect(removal).toMatchObject({ type: 'delete', key: '/t/a', value: 'brief' });
    expect(await store.get('/t/a')).toBeUndefined();
    expect((await store.get('/t/stays'))?.revision).toBe(revision + 1);
    live.stop();
  });

  it('counts from the last write, and a write without TTL removes the expiry', async () => {
    const { store, advance } = await open();
    const kept = await store.create('/t/kept', bytes('1'), { ttlSeconds: 1 });
    const renewed = await store.create('/t/renewed', bytes('1'), { ttlSeconds: 1 });
    await store.update('/t/kept', bytes('2'), kept.revision);
    await store.update('/t/renewed', bytes('2'), renewed.revision, { ttlSeconds: 3600 });
    const brief = await store.create('/t/brief', bytes('1'), { ttlSeconds: 1 });
    const live = watching(store, '/t/', brief.revision + 1);
    await live.next();
    advance?.(2);
    expect((await live.change()).key).toBe('/t/brief');
    expect(await store.get('/t/kept')).toBeDefined();
    expect(await store.get('/t/renewed')).toBeDefined();
    live.stop();
  });

  it('does not delete a key that was deleted and created again', async () => {
    const { store, advance } = await open();
    const first = await store.create('/t/a', bytes('1'), { ttlSeconds: 1 });
    await store.delete('/t/a', first.revision);
    await store.create('/t/a', bytes('2'));
    const brief = await store.create('/t/brief', bytes('1'), { ttlSeconds: 1 });
    const live = watching(store, '/t/', brief.revision + 1);
    await live.next();
    advance?.(2);
    expect((await live.change()).key).toBe('/t/brief');
    expect(await store.get('/t/a')).toBeDefined();
    live.stop();
  });

  it('deletes many keys that expire together', async () => {
    const { store, advance } = await open();
    const keys = Array.from({ length: 300 }, (_, i) => `/t/${i}`);
    const created = await Promise.all(keys.map((key) => store.create(key, bytes(key), { ttlSeconds: 1 })));
    const live = watching(store, '/t/', Math.max(...created.map(({ revision }) => revision)) + 1);
    await live.next();
    advance?.(2);
    const removed = new Set<string>();
    while (removed.size < keys.length) removed.add((await live.change()).key);
    expect((await store.list('/t/')).count).toBe(0);
    live.stop();
  });
}
