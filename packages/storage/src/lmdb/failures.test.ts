import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Unavailable } from '../store.ts';
import { openLmdb } from './index.ts';
import { bundleStore, scriptPath } from './processes/bundle.mjs';

const run = promisify(execFile);
const FILE_LIMIT_KIB = 4096;

let module: string;
let path: string;

beforeAll(async () => {
  module = await bundleStore();
});

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'tsukube-failures-'));
});

afterEach(() => rm(path, { recursive: true, force: true }));

it.runIf(process.platform === 'linux')('continues after the disk was full', async () => {
  const script = `ulimit -f ${FILE_LIMIT_KIB}; exec "$0" "$@"`;
  const { stdout } = await run('bash', ['-c', script, process.execPath, scriptPath('full-disk.mjs'), module, path]);
  const store = await openLmdb({ path });
  expect((await store.list('/full/')).count).toBe(Number(stdout));
  await store.close();
});

it('stops writing when another process has written', async () => {
  const store = await openLmdb({ path });
  await store.create('/own', Buffer.from('1'));
  await run(process.execPath, [scriptPath('other-writer.mjs'), module, path]);
  await expect(store.create('/late', Buffer.from('2'))).rejects.toThrow(Unavailable);
  await expect(store.create('/later', Buffer.from('2'))).rejects.toThrow(Unavailable);
  await expect(store.ping()).rejects.toThrow(Unavailable);
  await store.close();
  const again = await openLmdb({ path });
  expect((await again.list('')).entries.map(({ key }) => key)).toEqual(['/other', '/own']);
  await again.close();
});

it.each(['truncated', 'removed', 'replaced'])('rejects reads of a file that was %s, without crashing', async (way) => {
  const { stdout } = await run(process.execPath, [scriptPath('lost-file.mjs'), module, path, way]);
  expect(stdout).toBe('alive');
});
