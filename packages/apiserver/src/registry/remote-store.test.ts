import { type Store, Unavailable } from '@tsukube/storage';
import { openMemory } from '@tsukube/storage/memory';
import { expect, it } from 'vitest';
import { sampleRegistry } from './sample-registry.ts';

/** A store without a tap, like etcd: linearizable reads fetch its revision first. */
function remoteStore(): { store: Store; asked: () => number; failWith(error: Error): void } {
  const memory = openMemory();
  let asked = 0;
  let failure: Error | undefined;
  const store = new Proxy(memory, {
    get(target, name: keyof Store) {
      if (name === 'tap' || name === 'valueAt') return undefined;
      const member = target[name];
      if (typeof member !== 'function') return member;
      if (name !== 'revision') return member.bind(target);
      return async () => {
        asked++;
        if (failure) throw failure;
        return memory.revision();
      };
    },
  });
  return { store, asked: () => asked, failWith: (error) => (failure = error) };
}

it('an update fetches the revision of a remote store once, and its failure affects no other request', async () => {
  const { store, asked, failWith } = remoteStore();
  const { registry, context, create } = await sampleRegistry({ store });
  await create({ name: 'a', namespace: 'default' });
  await registry.cache.get('/registry/maps/default/a');
  const before = asked();
  const label = () => registry.update('a', undefined, (existing) => ({ ...existing, data: { asked: String(asked()) } }), context);
  await label();
  expect(asked() - before).toBe(1);
  failWith(new Unavailable('the connection was lost'));
  await expect(label()).rejects.toThrow('the connection was lost');
});
