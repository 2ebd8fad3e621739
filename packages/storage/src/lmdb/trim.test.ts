import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { Unavailable } from '../store.ts';
import { openEnvironment } from './environment.ts';
import { openLmdb } from './index.ts';
import { LmdbStore } from './lmdb-store.ts';
import { loadState } from './load-state.ts';

const MIB = 2 ** 20;

let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'tsukube-trim-'));
});

afterEach(() => rm(path, { recursive: true, force: true }));

/** Resident bytes of mapped files. */
async function mapped(): Promise<number> {
  const [, kib] = /^RssFile:\s+(\d+)/m.exec(await readFile('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1024;
}

it.runIf(process.platform === 'linux')('releases mapped pages', async () => {
  const store = await openLmdb({ path, noSync: true });
  const value = Buffer.alloc(MIB);
  for (let i = 0; i < 40; i++) await store.create(`/a/${i}`, value);
  await store.list('/a/');
  const before = await mapped();
  await store.trim?.();
  expect(before - (await mapped())).toBeGreaterThan(20 * MIB);
  await store.close();
});

it('keeps the map while a list is reading', async () => {
  const environment = openEnvironment({ path, noSync: true });
  let opened = 0;
  const counted = Object.assign(environment, { reopen: () => opened++ });
  const { state, transaction } = await loadState(environment);
  const store = new LmdbStore(counted, state, transaction, { clock: systemClock });
  await Promise.all(Array.from({ length: 5000 }, (_, i) => store.create(`/a/${i}`, Buffer.from('1'))));
  const listing = store.list('/');
  await store.trim();
  expect(opened).toBe(0);
  await listing;
  await store.trim();
  expect(opened).toBe(1);
  await store.close();
});

it('rejects writes if the database could not be reopened', async () => {
  const environment = openEnvironment({ path, noSync: true });
  const { state, transaction } = await loadState(environment);
  const failing = Object.assign(environment, {
    reopen() {
      throw new Error('too many open files');
    },
  });
  const store = new LmdbStore(failing, state, transaction, { clock: systemClock });
  await expect(store.trim()).rejects.toThrow(Unavailable);
  await expect(store.ping()).rejects.toThrow(Unavailable);
  await expect(store.create('/a', Buffer.from('1'))).rejects.toThrow(Unavailable);
  await store.close();
});
