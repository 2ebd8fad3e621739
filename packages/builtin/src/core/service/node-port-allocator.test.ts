import { KeyExists } from '@tsukube/storage';
import { describe, expect, it } from 'vitest';
import { NodePortAllocator, PortBitmap } from './node-port-allocator.ts';

/** A store in which another server creates the bitmap first, this many times. */
function contendedStore(conflicts: number) {
  const store = {
    attempts: 0,
    get: async () => undefined,
    update: async () => expect.fail('there is nothing to update'),
    create: async (key: string, value: Buffer) => {
      if (++store.attempts <= conflicts) throw new KeyExists(key);
      return { key, value, revision: 1, created: 1 };
    },
  };
  return store;
}

type Store = ConstructorParameters<typeof NodePortAllocator>[0];
const allocatorOn = (store: unknown) => new NodePortAllocator(store as Store, '/ports', { first: 1, last: 8 }, () => 0);

describe('node port allocator', () => {
  it('retries after conflicts with another server', async () => {
    const store = contendedStore(20);
    expect(await allocatorOn(store).update((taken) => taken.add(3))).toBeUndefined();
    expect(store.attempts).toBe(21);
  });

  it('gives up after a limited number of conflicts', async () => {
    const store = contendedStore(Number.POSITIVE_INFINITY);
    const updating = allocatorOn(store).update((taken) => taken.add(3));
    await expect(updating).rejects.toThrow('servicenodeportallocations');
    expect(store.attempts).toBe(250);
  });
});

describe('port bitmap', () => {
  it.each<[number[], string]>([
    [[], ''],
    [[30_000], '01'],
    [[30_007], '80'],
    [[30_008, 30_000], '0101'],
    [[30_000, 30_001, 30_017], '020003'],
  ])('%j is encoded as %s', (ports, hex) => {
    const bitmap = new PortBitmap(30_000, 32_767);
    for (const port of ports) bitmap.add(port);
    expect(bitmap.bytes().toString('hex')).toBe(hex);
    const read = new PortBitmap(30_000, 32_767, Buffer.from(hex, 'hex'));
    expect(read.ports().sort()).toEqual([...ports].sort());
  });

  it('ignores bits beyond the range', () => {
    expect(new PortBitmap(1, 4, Buffer.from('ffff', 'hex')).ports()).toEqual([1, 2, 3, 4]);
  });

  it('clears released ports', () => {
    const bitmap = new PortBitmap(1, 16, Buffer.from('0103', 'hex'));
    bitmap.delete(9);
    expect([bitmap.has(9), bitmap.has(2), bitmap.bytes().toString('hex')]).toEqual([false, true, '03']);
  });
});
