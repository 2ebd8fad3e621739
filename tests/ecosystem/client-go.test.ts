import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { bundle, notBuilt } from '../support/server-process.ts';

const module = fileURLToPath(new URL('client-go', import.meta.url));
const coldBuildMs = 10 * 60_000;
const trialMs = 2 * 60_000;
/** Go's HTTP/2 client sometimes closes the connection to a killed server itself; client-go then lists instead of resuming. */
const maxAttempts = 6;

/** The reason to skip: the program cannot be built here. Undefined if it can. */
function missing(): string | undefined {
  if (notBuilt) return 'the server is not built';
  if (spawnSync('go', ['version']).error) return 'there is no `go` on the PATH';
  const { status, stderr } = spawnSync('go', ['mod', 'download'], { cwd: module, encoding: 'utf8', timeout: coldBuildMs });
  return status === 0 ? undefined : `the Go modules cannot be fetched: ${stderr}`;
}

const reason = missing();
if (reason) console.warn(`${reason}: the trials of client-go are skipped`);

describe.skipIf(reason)('client-go', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-client-go-'));
  const program = join(folder, 'client-go');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it(
    'builds',
    async () => {
      expect(await run('go', ['build', '-o', program, '.'], module)).toBe('');
    },
    coldBuildMs,
  );

  it.each([
    ['informers', 'while the server is killed', ['-duration', '6s', '-kills', '2']],
    ['informers', 'while the server is shut down: they never list again', ['-duration', '6s', '-kills', '2', '-graceful']],
    ['leader-election', 'with leaders that end', ['-rounds', '6']],
  ])(
    '%s, %s',
    async (trial, _, flags) => {
      const attempt = () => run(program, [...flags, trial, '--', process.execPath, bundle, 'serve'], folder);
      let output = await attempt();
      const mayRepeat = () => !flags.includes('-graceful') && output.includes('an informer listed again');
      for (let i = 1; i < maxAttempts && mayRepeat(); i++) output = await attempt();
      expect(output).toMatch(new RegExp(`^ok ${trial}: `, 'm'));
    },
    trialMs,
  );
});

/** The output of a command. */
function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}
