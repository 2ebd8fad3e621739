import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@tsukube/apiserver';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { restrictDataDir } from './data-dir-permissions.ts';

let path: string;
let lines: string[];

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'tsukube-mode-')), 'dir');
  mkdirSync(path);
  lines = [];
});

afterEach(() => rmSync(join(path, '..'), { recursive: true }));

const log = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const logger = { ...silentLogger, info: log, warn: log };
const modeOf = (...names: string[]) => (statSync(join(path, ...names)).mode & 0o7777).toString(8);

it('restricts files of the server to the owner', () => {
  for (const name of ['data', 'pki', 'data.damaged-x']) mkdirSync(join(path, name), { mode: 0o755 });
  writeFileSync(join(path, 'admin.kubeconfig'), '', { mode: 0o644 });
  chmodSync(path, 0o755);
  restrictDataDir(path, logger);
  expect([modeOf(), modeOf('data'), modeOf('pki'), modeOf('data.damaged-x'), modeOf('admin.kubeconfig')]).toEqual([
    '700',
    '700',
    '700',
    '700',
    '600',
  ]);
  expect(lines[0]).toBe(`permissions restricted to the owner ${JSON.stringify({ path, before: '755', mode: '700' })}`);
  lines.length = 0;
  restrictDataDir(path, logger);
  expect(lines).toEqual([]);
});

it.each([
  ['a folder with files of other programs', 0o755, () => writeFileSync(join(path, 'thesis.tex'), '')],
  ['a world-writable folder', 0o1777, () => {}],
])('does not change the mode of %s', (_, mode, fill) => {
  fill();
  chmodSync(path, mode);
  restrictDataDir(path, logger);
  expect(modeOf()).toBe(mode.toString(8));
});

it('warns of a shared folder', () => {
  writeFileSync(join(path, 'thesis.tex'), '');
  chmodSync(path, 0o755);
  restrictDataDir(path, logger);
  expect(lines).toEqual([expect.stringContaining('the data dir is accessible to other users; its mode should be 0700')]);
});
