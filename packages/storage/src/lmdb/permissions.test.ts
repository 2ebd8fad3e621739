import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLmdb } from './index.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tsukube-lmdb-'));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

it('files of the database are readable only by their owner, also in an existing directory or database', async () => {
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
});
