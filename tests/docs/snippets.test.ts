import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, documents, placeOf, readDocument } from './documents.ts';

/** Snippets that are whole programs: they import what they need, and end by themselves. */
const programs = documents.flatMap((page) =>
  codeBlocks(readDocument(page), 'ts')
    .filter(({ code }) => code.startsWith('import '))
    .map(({ code }, i) => [`${page}, ${i + 1}`, code] as const),
);

// Below the root, so that the packages are found by their names; Node runs them as users do, from what was built.
const scratch = placeOf('.cache');
const notBuilt = !existsSync(placeOf('packages/server/dist/index.js'));

describe.skipIf(notBuilt)('programs in the documentation', () => {
  it('are there', () => expect(programs.length).toBeGreaterThan(0));

  it.each(programs)('%s', async (_place, code) => {
    const { transform } = await import('esbuild');
    mkdirSync(scratch, { recursive: true });
    const folder = mkdtempSync(join(scratch, 'snippet-'));
    try {
      const file = join(folder, 'snippet.mjs');
      writeFileSync(file, (await transform(code, { loader: 'ts', format: 'esm', target: 'node20' })).code);
      const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, encoding: 'utf8', timeout: 20_000 });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
