import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { etcdMissing, type RunningEtcd, startEtcd } from '../../../../tests/support/etcd.ts';
import { ManualClock } from '../contract/index.ts';
import { bytesTag, type GrpcMethod, read } from '../grpc/protobuf.ts';
import { NoSpace, RequestTooLarge, type Store } from '../store.ts';
import { openEtcd } from './index.ts';
import { EtcdMember } from './rpc/members.ts';

const MEBI = 1024 * 1024;

describe.skipIf(etcdMissing)('limits of etcd', () => {
  let etcd: RunningEtcd;
  let store: Store;
  const clock = new ManualClock();
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd?.stop());
  beforeEach(async () => {
    store = await openEtcd({ endpoints: [etcd.endpoint], clock });
  });
  afterEach(() => store.close());

  it.each([
    ['as etcd counts', 1.5 * MEBI],
    ['as gRPC counts', 3 * MEBI],
  ])('rejects a value that is too large, %s', async (_, size) => {
    await expect(store.create('/registry/big', Buffer.alloc(size))).rejects.toThrow(RequestTooLarge);
    expect(await store.get('/registry/big')).toBeUndefined();
  });

  it('accepts values up to 1.5 MiB minus four times the key and 100 bytes', async () => {
    const key = `/registry/${'k'.repeat(200)}`;
    const value = Buffer.alloc(1.5 * MEBI - 4 * key.length - 100);
    const { revision } = await store.create(key, value);
    const updated = await store.update(key, value, revision, { ttlSeconds: 3600 });
    expect((await store.get(key))?.value.byteLength).toBe(value.length);
    await store.delete(key, updated.revision);
  });

  it('reads lists in pages when they are larger than a message', async () => {
    const value = Buffer.alloc(200_000, 'x');
    await Promise.all(Array.from({ length: 100 }, (_, i) => store.create(`/registry/large/${i}`, value)));
    await Promise.all(Array.from({ length: 600 }, (_, i) => store.create(`/registry/large/a/${i}`, Buffer.from('small'))));
    const page = await store.list('/registry/large/');
    expect(page).toMatchObject({ count: 700, more: false });
    expect(page.entries.reduce((sum, entry) => sum + entry.value.length, 0)).toBe(100 * 200_000 + 600 * 5);
    expect(new Set(page.entries.map(({ key }) => key)).size).toBe(700);
    const limited = await store.list('/registry/large/', { limit: 650 });
    expect(limited).toMatchObject({ count: 700, more: true });
    expect(limited.entries.map(({ key }) => key)).toEqual(page.entries.slice(0, 650).map(({ key }) => key));
  });

  it('reports the oldest revision left, also after a compaction by another client', async () => {
    const { revision } = await store.create('/registry/c', Buffer.from('1'));
    await store.update('/registry/c', Buffer.from('2'), revision);
    await store.compact(revision + 1);
    const other = await openEtcd({ endpoints: [etcd.endpoint] });
    for (const each of [store, other]) {
      await expect(each.list('/registry/', { revision })).rejects.toMatchObject({ name: 'Compacted', oldest: revision + 1 });
      const batches = each.watch('/registry/', revision + 1, AbortSignal.timeout(5_000))[Symbol.asyncIterator]();
      await expect(batches.next()).rejects.toMatchObject({ name: 'Compacted', oldest: revision + 2 });
    }
    await other.close();
  });

  it('shares leases between writes with about the same expiry', async () => {
    const before = await leaseCount(etcd.endpoint);
    const write = (batch: number) =>
      Promise.all(
        Array.from({ length: 600 }, (_, i) =>
          store.create(`/registry/lease/${batch}-${i}`, Buffer.from(''), { ttlSeconds: 3600 }),
        ),
      );
    await write(0);
    expect(await leaseCount(etcd.endpoint)).toBe(before + 1);
    await write(1);
    expect(await leaseCount(etcd.endpoint)).toBe(before + 2);
    clock.advance(61);
    await write(2);
    expect(await leaseCount(etcd.endpoint)).toBe(before + 3);
  });
});

describe.skipIf(etcdMissing)('an etcd that is full', () => {
  it('rejects writes, and ping reports it', async () => {
    const etcd = await startEtcd({ args: [`--quota-backend-bytes=${4 * MEBI}`] });
    const store = await openEtcd({ endpoints: [etcd.endpoint] });
    await store.ping();
    const fill = async () => {
      // etcd checks its size ten times a second.
      for (let i = 0; i < 200; i++) await store.create(`/registry/${i}`, Buffer.alloc(MEBI));
    };
    await expect(fill()).rejects.toThrow(NoSpace);
    await expect(store.ping()).rejects.toThrow(/takes no writes: .*NOSPACE/);
    await expect(store.ping()).rejects.toThrow(NoSpace);
    expect((await store.list('/registry/')).count).toBeGreaterThan(0);
    await store.close();
    await etcd.stop();
  });
});

async function leaseCount(endpoint: string): Promise<number> {
  const member = new EtcdMember(endpoint, {});
  const deadline = performance.now() + 5_000;
  await member.whenReady(deadline);
  const count = await member.call(leases, undefined, {}, deadline);
  member.close();
  return count;
}

const leases: GrpcMethod<void, number> = {
  path: '/etcdserverpb.Lease/LeaseLeases',
  encode: () => Buffer.alloc(0),
  decode: (message) => {
    const reader = read(message);
    let count = 0;
    while (reader.pos < message.length) {
      const tag = reader.uint32();
      if (tag === bytesTag(2)) count++;
      reader.skipType(tag & 7);
    }
    return count;
  },
};
