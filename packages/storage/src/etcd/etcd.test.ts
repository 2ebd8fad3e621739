import { afterAll, beforeAll, describe } from 'vitest';
import { etcdMissing, type RunningEtcd, startEtcd } from '../../../../tests/support/etcd.ts';
import { withHandledRejections } from '../../../../tests/support/sql-stores.ts';
import { type StoreUnderTest, storeContract } from '../contract/index.ts';
import { bytesTag, finish, type GrpcMethod, write } from '../grpc/protobuf.ts';
import { openEtcd } from './index.ts';
import { EtcdMember } from './rpc/members.ts';

describe.skipIf(etcdMissing)('etcd', () => {
  let etcd: RunningEtcd;
  beforeAll(async () => {
    etcd = await startEtcd();
  });
  afterAll(() => etcd?.stop());

  storeContract('etcd', async () => {
    await removeEverything(etcd.endpoint);
    return openAt(etcd.endpoint);
  });
});

async function openAt(endpoint: string): Promise<StoreUnderTest> {
  const store = await openEtcd({ endpoints: [endpoint] });
  const close = () => store.close();
  const reopen = async () => {
    await close();
    return openAt(endpoint);
  };
  return { store: withHandledRejections(store), reopen, close };
}

/** Faster than starting a new etcd for each test. */
async function removeEverything(endpoint: string): Promise<void> {
  const member = new EtcdMember(endpoint, {});
  const deadline = performance.now() + 10_000;
  await member.whenReady(deadline);
  await member.call(deleteAll, undefined, {}, deadline);
  member.close();
}

const deleteAll: GrpcMethod<void, void> = {
  path: '/etcdserverpb.KV/DeleteRange',
  encode: () => finish(write().uint32(bytesTag(1)).string('\0').uint32(bytesTag(2)).string('\0')),
  decode: () => {},
};
