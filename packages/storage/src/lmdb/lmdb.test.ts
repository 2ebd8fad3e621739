import { chmodSync, readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it('files of the database are readable only by their owner, also in an existing directory or database', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'tsukube-lmdb-'));
  const path = join(parent, 'data');
  const store = await openLmdb({ path });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  const modes = () => readdirSync(path).map((name) => [name, statSync(join(path, name)).mode & 0o777]);
  const restricted = ['data.mdb', 'layout.json', 'lock.mdb'].map((name) => [name, 0o600]);
  expect(modes()).toEqual(restricted);
  await store.close();
  for (const name of ['data.mdb', 'lock.mdb']) chmodSync(join(path, name), 0o644);
  await (await openLmdb({ path })).close();
  expect(modes()).toEqual(restricted);
  await rm(parent, { recursive: true });
});
