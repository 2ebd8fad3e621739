import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { placeOf } from '../docs/documents.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-program-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Logs once a millisecond for half a second, then exits with the milliseconds of processor time. */
const source = `
import { lineLogger } from './packages/sdk/src/program/line-logger.ts';
import { runProgram } from './packages/sdk/src/program/run-program.ts';
const logger = lineLogger();
void runProgram(async () => ({ close: async () => {} }), logger);
const timer = setInterval(() => logger.info('tick'), 1);
setTimeout(() => {
  clearInterval(timer);
  const { user, system } = process.cpuUsage();
  setTimeout(() => {
    const later = process.cpuUsage();
    process.exit(Math.min(250, Math.round((later.user + later.system - user - system) / 1000)));
  }, 500);
}, 500);
`;

it('a program whose log is no longer read keeps running, and does not spin', async () => {
  const outfile = join(folder, 'program.mjs');
  await build({
    stdin: { contents: source, resolveDir: placeOf('.'), loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
  });
  const child = spawn(process.execPath, [outfile], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(child.stderr, 'data');
  child.stderr.destroy();
  const [code] = await once(child, 'exit');
  expect(code).toBeLessThan(200);
});
