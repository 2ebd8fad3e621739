import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { placeOf, readDocument, section } from './documents.ts';

const limit = 30;

it('ARCHITECTURE.md lists files that run for a GET', { timeout: 60_000 }, () => {
  const part = section(readDocument('ARCHITECTURE.md'), '## The path of a GET');
  const listed = [...part.matchAll(/\]\((packages\/[^)]+\.ts)\)/g)].map(([, file = '']) => file);
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.length).toBeLessThanOrEqual(limit);
  expect(part).toContain(`These are ${listed.length} files.`);
  const traced = execFileSync(process.execPath, [placeOf('scripts/trace-get.mjs')], { encoding: 'utf8' }).split('\n');
  expect(listed.filter((file) => !traced.includes(file))).toEqual([]);
});
