import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { takeDataDir } from './data-dir.ts';

/** A full disk: the file is created, but writes fail. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const writeFileSync = (path: string) => {
    fs.writeFileSync(path, '');
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  return { ...fs, writeFileSync };
});

it('leaves nothing behind when the disk is full', () => {
  const path = mkdtempSync(join(tmpdir(), 'tsukube-full-'));
  expect(() => takeDataDir(path)).toThrow('no space left');
  expect(readdirSync(path)).toEqual([]);
  rmSync(path, { recursive: true });
});
