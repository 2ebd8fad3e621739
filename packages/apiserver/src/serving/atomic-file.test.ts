import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceFile, writeFilesAtomically } from './atomic-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-atomic-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('writing files atomically', () => {
  it('leaves nothing behind when it fails', async () => {
    const [good, bad] = [join(folder, 'good'), join(folder, 'bad')];
    writeFileSync(good, 'old');
    mkdirSync(join(bad, 'in the way'), { recursive: true });
    const files = [bad, good].map((path) => ({ path, content: 'new', mode: 0o600 }));
    await expect(writeFilesAtomically(files)).rejects.toThrow();
    expect(readFileSync(good, 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good']);
  });

  it('leaves nothing behind when one write fails', async () => {
    const files = [join(folder, 'one'), join(folder, 'no such directory', 'two'), join(folder, 'three')];
    await expect(writeFilesAtomically(files.map((path) => ({ path, content: 'new', mode: 0o600 })))).rejects.toThrow('ENOENT');
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good']);
  });

  it('leaves nothing behind where a directory is in the way', () => {
    expect(() => replaceFile({ path: join(folder, 'bad'), content: 'new', mode: 0o600 })).toThrow();
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good']);
  });
});
