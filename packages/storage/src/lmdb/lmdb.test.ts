import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock, type StoreUnderTest, storeContract } from '../contract/index.ts';
import { openLmdb } from './index.ts';

storeContract('lmdb', async () => openAt(await mkdtemp(join(tmpdir(), 'tsukube-lmdb-')), new ManualClock()));

async function openAt(path: string, clock: ManualClock): Promise<StoreUnderTest> {
  const store = await openLmdb({ path, clock });
  return {
    store,
    advance: (seconds) => clock.advance(seconds),
    reopen: async () => {
      await store.close();
      return openAt(path, clock);
    },
    close: async () => {
      await store.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}
