import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { bundle, notBuilt } from '../support/server-process.ts';

/** Runs inside the server: SIGUSR2 blocks its event loop. */
const blocker = `
const ways = {
  loop(ms) { const end = performance.now() + ms; while (performance.now() < end); },
  regex() { /^(a+)+$/.test('a'.repeat(Number(process.env.LENGTH)) + 'b'); },
  native(ms) { require('node:child_process').spawnSync(process.execPath, ['-e', \`setTimeout(() => {}, \${ms})\`]); },
};
process.on('SIGUSR2', function blockTheLoop() { ways[process.env.WAY](Number(process.env.MS)); });
`;

interface Blocked {
  readonly child: ChildProcess;
  readonly client: Client;
  stderr(): string;
}

const folders: string[] = [];
const running: Blocked[] = [];

afterEach(async () => {
  for (const { child, client } of running.splice(0)) {
    client.close();
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function serverWith(environment: Record<string, string>, ...args: string[]): Promise<Blocked> {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-watchdog-'));
  folders.push(folder);
  const script = join(folder, 'blocker.cjs');
  writeFileSync(script, blocker);
  const dataDir = join(folder, 'data');
  const options = ['serve', '--secure-port=0', '--data-dir', dataDir, ...args];
  const child = spawn(process.execPath, ['--require', script, bundle, ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const client = clientFor(readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8'));
  const blocked = { child, client, stderr: () => text };
  running.push(blocked);
  expect((await client.get('/livez')).status).toBe(200);
  return blocked;
}

const patience = { timeout: 20_000, interval: 50 };

describe.skipIf(notBuilt)('the watchdog', { timeout: 60_000 }, () => {
  it('reports a blocked event loop with its stack, repeatedly, and its recovery', async () => {
    const { child, client, stderr } = await serverWith({ WAY: 'loop', MS: '6500' }, '--watchdog-threshold=1s');
    child.kill('SIGUSR2');
    await expect.poll(() => stderr().match(/event loop stands still/g)?.length, patience).toBe(3);
    expect(stderr()).toMatch(/error event loop stands still seconds=[\d.]+\n {4}at loop \(.*blocker\.cjs:3:\d+\)\n/);
    expect(stderr()).toMatch(/at process\.blockTheLoop|at blockTheLoop/);
    await expect.poll(stderr, patience).toMatch(/error event loop goes on seconds=[4-9]/);
    expect((await client.get('/readyz')).status).toBe(200);
    expect((await client.get('/api/v1/namespaces')).body.items.length).toBeGreaterThan(0);
  });

  it('interrupts regular expressions', async () => {
    const { child, stderr } = await serverWith({ WAY: 'regex', LENGTH: '31' }, '--watchdog-threshold=1s');
    child.kill('SIGUSR2');
    await expect
      .poll(stderr, patience)
      .toMatch(/event loop stands still seconds=[\d.]+\n {4}at regex \(.*blocker\.cjs:4:\d+\)\n/);
  });

  it('reports native code, which it cannot interrupt', async () => {
    const { child, client, stderr } = await serverWith(
      { WAY: 'native', MS: '4000' },
      '--watchdog-threshold=1s',
      '--logging-format=json',
    );
    child.kill('SIGUSR2');
    await expect.poll(stderr, patience).toMatch(/"event loop goes on"/);
    const lines = stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual(expect.objectContaining({ message: 'event loop stands still', stack: ['native code'] }));
    expect((await client.get('/readyz')).status).toBe(200);
  });

  it('does not count the time in which the whole process was suspended', async () => {
    const { child, client, stderr } = await serverWith({}, '--watchdog-threshold=1s');
    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 3000));
    child.kill('SIGCONT');
    expect((await client.get('/readyz')).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(stderr()).not.toContain('stands still');
  });

  it('does not prevent the process from exiting', async () => {
    const { child, client } = await serverWith({});
    client.close();
    const began = performance.now();
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it.runIf(process.platform === 'linux')('has no thread if it is switched off', async () => {
    const threads = ({ child }: Blocked) => readdirSync(`/proc/${child.pid}/task`).length;
    const [off, on] = [await serverWith({}, '--watchdog-threshold=0'), await serverWith({})];
    await expect.poll(() => threads(on) - threads(off)).toBeGreaterThan(0);
  });
});
