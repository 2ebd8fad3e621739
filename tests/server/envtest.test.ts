import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificate, caBundle, certificate } from '../support/certificates.ts';
import { clientFor } from '../support/client.ts';
import { notBuilt } from '../support/server-process.ts';

const bundle = fileURLToPath(new URL('../../packages/tsukube/dist/tsukube.cjs', import.meta.url));

let folder: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-envtest-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const envtest = (...args: string[]) =>
  spawnSync(process.execPath, [bundle, 'envtest', ...args], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') },
  });

describe.skipIf(notBuilt)('tsukube envtest', () => {
  it('prints a line for the shell, the path, or a summary', () => {
    const path = envtest('-p', 'path').stdout.trim();
    expect(envtest()).toMatchObject({ status: 0, stdout: `export KUBEBUILDER_ASSETS='${path}'\n`, stderr: '' });
    expect(envtest('use', '1.36.x', '-i', '-p', 'overview').stdout).toContain(`Path: ${path}\n`);
    expect(readdirSync(path)).toEqual(expect.arrayContaining(['etcd', 'kube-apiserver']));
  });

  it('accepts the arguments of kubebuilder Makefiles, and reports if another version was requested', () => {
    const { status, stdout, stderr } = envtest('use', '1.31.0', '--bin-dir', join(folder, 'bin'), '-p', 'path');
    expect(status).toBe(0);
    expect(stdout).toMatch(/\/bin\/k8s\/1\.36\.\d+-\w+-\w+\n$/);
    expect(stderr).toMatch(/^tsukube: 1\.31\.0 was requested; this server is Kubernetes v1\.36\.\d+\n$/);
  });

  it.each([
    [['list'], 'tsukube: tsukube envtest has no command list, see --help\n'],
    [['-p', 'x'], 'tsukube: --print: "x" is not one of env, path, overview\n'],
    [['--nonsense'], expect.stringContaining('--nonsense')],
  ])('refuses %j', (args, stderr) => {
    expect(envtest(...args)).toMatchObject({ status: 2, stdout: '', stderr });
  });
});

/** Polls until the status is 200, as envtest does. */
async function untilHealthy(url: string): Promise<string | undefined> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const reply = await statusOf(url).catch(() => undefined);
    if (reply?.status === 200) return reply.issuer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not become healthy`);
}

function statusOf(url: string): Promise<{ status: number | undefined; issuer: string | undefined }> {
  const get = url.startsWith('https:') ? httpsGet : httpGet;
  return new Promise((resolve, reject) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      const issuer = url.startsWith('https:') ? (response.socket as TLSSocket).getPeerCertificate().issuer.CN : undefined;
      response.resume();
      resolve({ status: response.statusCode, issuer: Array.isArray(issuer) ? issuer[0] : issuer });
    }).on('error', reject);
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

function start(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(join(folder, 'assets', program), args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  children.push(child);
  return child;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const exited = once(child, 'exit');
  child.kill(signal);
  return (await exited)[0];
}

describe.skipIf(notBuilt)('the programs that envtest starts', () => {
  let etcdUrl: string;
  let securePort: number;
  let certDir: string;
  let ca: Certificate;
  let etcd: ChildProcess;
  let apiserver: ChildProcess;
  const dataDir = () => join(folder, 'etcd-data');

  /** Starts kube-apiserver with the flags of controller-runtime's envtest. */
  const startApiserver = () => {
    const at = (name: string) => join(certDir, name);
    apiserver = start('kube-apiserver', [
      '--allow-privileged=true',
      '--authorization-mode=RBAC',
      '--bind-address=127.0.0.1',
      `--cert-dir=${certDir}`,
      `--client-ca-file=${at('client-cert-auth-ca.crt')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--etcd-servers=${etcdUrl}`,
      `--secure-port=${securePort}`,
      `--service-account-issuer=https://127.0.0.1:${securePort}/`,
      `--service-account-key-file=${at('sa-signer.crt')}`,
      `--service-account-signing-key-file=${at('sa-signer.key')}`,
      '--service-cluster-ip-range=10.0.0.0/24',
    ]);
    return untilHealthy(`https://127.0.0.1:${securePort}/healthz`);
  };
  const client = () => {
    const kubeconfig = readFileSync(join(dataDir(), 'tsukube', 'admin.kubeconfig'), 'utf8');
    return clientFor(kubeconfig.replace(/(certificate-authority-data: )\S+/, `$1${caBundle(ca)}`));
  };

  beforeAll(async () => {
    expect(envtest('--dir', join(folder, 'assets')).status).toBe(0);
    certDir = join(folder, 'certs');
    mkdirSync(certDir);
    ca = certificate('envtest-environment', { for: 'authority' });
    const serving = certificate('localhost', { for: 'server', hosts: ['localhost', '127.0.0.1'] }, { issuer: ca });
    const files = { apiserver: serving, 'sa-signer': ca, 'client-cert-auth-ca': ca };
    for (const [name, { pem, key }] of Object.entries(files)) {
      writeFileSync(join(certDir, `${name}.crt`), pem);
      writeFileSync(join(certDir, `${name}.key`), key);
    }
    etcdUrl = `http://127.0.0.1:${await freePort()}`;
    securePort = await freePort();
    etcd = start('etcd', [
      `--advertise-client-urls=${etcdUrl}`,
      `--data-dir=${dataDir()}`,
      `--listen-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${await freePort()}`,
      '--unsafe-no-fsync=true',
    ]);
    await untilHealthy(`${etcdUrl}/health`);
  });

  it('serve with the certificate of the cert dir', async () => {
    expect(await startApiserver()).toBe('envtest-environment');
  });

  it('run no controllers, like kube-apiserver', async () => {
    const api = client();
    await api.send('POST', '/api/v1/namespaces', { metadata: { name: 'bare' } });
    expect((await api.send('DELETE', '/api/v1/namespaces/bare')).body.status.phase).toBe('Terminating');
    for (let i = 0; i < 20; i++) expect((await api.get('/api/v1/namespaces/bare')).body.status.phase).toBe('Terminating');
    expect((await api.get('/api/v1/serviceaccounts')).body.items).toEqual([]);
    api.close();
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('keep objects after a restart of the API server by %s', async (signal) => {
    const before = client();
    await before.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: signal.toLowerCase() } });
    before.close();
    await stop(apiserver, signal);
    await startApiserver();
    const after = client();
    expect((await after.get(`/api/v1/namespaces/default/configmaps/${signal.toLowerCase()}`)).status).toBe(200);
    after.close();
  });

  it('exit on SIGTERM and write nothing outside their folders', async () => {
    expect(await stop(apiserver, 'SIGTERM')).toBe(0);
    expect(await stop(etcd, 'SIGTERM')).toBe(0);
    expect(existsSync(join(folder, '.tsukube'))).toBe(false);
    expect(readdirSync(dataDir())).toEqual(['tsukube']);
  });
});
