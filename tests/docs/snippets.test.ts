import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codeBlocks, documents, placeOf, readDocument } from './documents.ts';

/** Code blocks that are complete programs: they start with an import, and exit by themselves. */
const programs = documents.flatMap((page) =>
  codeBlocks(readDocument(page), 'ts')
    .filter(({ code }) => code.startsWith('import '))
    .map(({ code }, i) => [`${page}, ${i + 1}`, code] as const),
);

// In the workspace, so that package names resolve, to the compiled packages.
const scratch = placeOf('.cache');
const notBuilt = !existsSync(placeOf('packages/server/dist/index.js'));

describe.skipIf(notBuilt)('programs in the documentation', () => {
  it('exist', () => expect(programs.length).toBeGreaterThan(0));

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
