import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const bundle = fileURLToPath(new URL('../../tsukube/dist/tsukube.cjs', import.meta.url));

type Child = ChildProcessByStdio<null, Readable, null>;

let dataDir: string;
let children: Child[];

beforeEach(() => {
  dataDir = join(mkdtempSync(join(tmpdir(), 'tsukube-cli-')), 'data');
  children = [];
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

function run(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [bundle, ...args], { encoding: 'utf8', timeout: 20_000 });
}

/** Starts a server and resolves with its first line of output. */
async function serve(...args: string[]): Promise<{ child: Child; line: string; exit: Promise<number | null> }> {
  const child = spawn(process.execPath, [bundle, 'serve', '--secure-port=0', '--data-dir', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const exit = new Promise<number | null>((resolve) => child.on('exit', resolve));
  let line = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    line += chunk;
    if (line.endsWith('\n')) return { child, line, exit };
  }
  throw new Error('the server ended before it was ready');
}

describe.skipIf(!existsSync(bundle))('the tsukube command', () => {
  it('prints help', () => {
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: tsukube COMMAND') });
    expect(run('serve', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--secure-port PORT') });
    expect(run('help', 'serve').stdout).toBe(run('serve', '--help').stdout);
    expect(run('version').stdout).toMatch(/^tsukube \d+\.\d+\.\d+ \(node /);
  });

  it.each([
    [['sreve'], 'tsukube: unknown command "sreve", see tsukube --help\n'],
    [['serve', '--secure-prt=1'], 'tsukube: unknown flag --secure-prt, did you mean --secure-port?\n'],
    [['serve', '--secure-port=x'], 'tsukube: --secure-port: "x" is not a whole number\n'],
  ])('refuses %j in one line, with exit code 2', (args, stderr) => {
    expect(run(...args)).toMatchObject({ status: 2, stdout: '', stderr });
  });

  it('prints a ready line, and drains on SIGTERM', async () => {
    const { child, line, exit } = await serve();
    expect(line).toMatch(/^tsukube is ready at https:\/\/127\.0\.0\.1:\d+, kubeconfig \S+admin\.kubeconfig, after \d+ ms\n$/);
    expect(statSync(join(dataDir, 'admin.kubeconfig')).mode & 0o777).toBe(0o600);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(readdirSync(dataDir)).not.toContain('server.lock');
    expect(readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8')).toContain('closing signal=SIGTERM');
  });

  it('rejects a data dir in use, and names the other server', async () => {
    const { child, line } = await serve();
    const url = /https:\S+(?=,)/.exec(line)?.[0];
    const { status, stdout, stderr } = run('serve', '--secure-port=0', '--data-dir', dataDir);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(`^tsukube: ${dataDir} is in use by another server \\(pid ${child.pid}, ${url}, since \\S+Z\\)\\n$`),
    );
  });

  it('takes over the data dir of a killed server, with the same certificates', async () => {
    const first = await serve();
    const ca = readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8');
    first.child.kill('SIGKILL');
    await first.exit;
    await serve();
    expect(readFileSync(join(dataDir, 'pki', 'ca.crt'), 'utf8')).toBe(ca);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('ends at once on a second signal, %s', async (signal, code) => {
    const { child, exit } = await serve('--shutdown-delay-duration=1h');
    child.kill('SIGTERM');
    await expect.poll(() => readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8')).toContain('closing');
    child.kill(signal);
    expect(await exit).toBe(code);
  });

  it('serves from memory', async () => {
    const { child, exit } = await serve('--storage=memory');
    child.kill('SIGINT');
    expect(await exit).toBe(0);
  });

  it('reads YAML in its configuration and in request bodies', async () => {
    const settings = join(dataDir, '..', 'settings.yaml');
    writeFileSync(settings, 'storage: memory\nlog-level: info\n');
    const { line } = await serve('--config', settings);
    const kubeconfig = readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8');
    const pem = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
    const url = /https:\/\/\S+:\d+/.exec(line)?.[0];
    const tls = { ca: pem('certificate-authority-data'), cert: pem('client-certificate-data'), key: pem('client-key-data') };
    const status = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/yaml' };
      const sent = request(`${url}/api/v1/namespaces/default/configmaps`, { method: 'POST', headers, ...tls }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject);
      sent.end('apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n');
    });
    expect(status).toBe(201);
  });
});
