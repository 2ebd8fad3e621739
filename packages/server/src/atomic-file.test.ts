import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeFilesAtomically } from './atomic-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-atomic-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('writing files atomically', () => {
  it('leaves nothing behind when it fails', () => {
    const [good, bad] = [join(folder, 'good'), join(folder, 'bad')];
    writeFileSync(good, 'old');
    mkdirSync(join(bad, 'in the way'), { recursive: true });
    const files = [bad, good].map((path) => ({ path, content: 'new', mode: 0o600 }));
    expect(() => writeFilesAtomically(files)).toThrow();
    expect(readFileSync(good, 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good']);
  });
});
