import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLmdb } from './index.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tsukube-lmdb-'));
});

afterEach(() => rmSync(parent, { recursive: true, force: true }));

it('the database is for its owner alone, whoever may look into the folder around it', async () => {
  const path = join(parent, 'data');
  const store = await openLmdb({ path });
  expect(statSync(path).mode & 0o777).toBe(0o700);
  await store.close();
});
