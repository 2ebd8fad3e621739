import { execFile, spawnSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { memoryFiles } from '@tsukube/machinery/pki';
import { startServer } from '@tsukube/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPki } from '../../packages/server/src/pki/pki.ts';
import { clientFor } from '../support/client.ts';

const kubectlHere = spawnSync('kubectl', ['version', '--client']).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-files-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function shownAt(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString() ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('--cert-dir', () => {
  it('with apiserver.crt and apiserver.key: they are served, trusted by the kubeconfig and not replaced', async () => {
    const certDir = join(folder, 'certs');
    const { serving } = openPki(memoryFiles(), { hosts: ['localhost', '127.0.0.1'], clientKeyAlgorithm: 'ecdsa' }, new Date());
    mkdirSync(certDir);
    writeFileSync(join(certDir, 'apiserver.crt'), serving.certificate);
    writeFileSync(join(certDir, 'apiserver.key'), serving.key);
    for (const dataDir of ['first', 'second'].map((name) => join(folder, name))) {
      const server = await startServer({ dataDir, certDir, securePort: 0 });
      expect((await shownAt(server.url)).trim()).toBe(serving.certificate.trim());
      if (kubectlHere) {
        const env = { ...process.env, KUBECONFIG: join(dataDir, 'admin.kubeconfig') };
        expect((await promisify(execFile)('kubectl', ['get', '--raw', '/readyz'], { env })).stdout).toBe('ok');
      }
      await server.close();
    }
    expect(readFileSync(join(certDir, 'apiserver.crt'), 'utf8')).toBe(serving.certificate);
    expect(readFileSync(join(certDir, 'apiserver.key'), 'utf8')).toBe(serving.key);
  });
});

describe('--kubeconfig-out', () => {
  it('with other content: the server does not start, and changes nothing', async () => {
    const kubeconfigOut = join(folder, 'config');
    writeFileSync(kubeconfigOut, 'mine\n');
    const dataDir = join(folder, 'data');
    await expect(startServer({ dataDir, kubeconfigOut, securePort: 0 })).rejects.toThrow(
      `${kubeconfigOut} was not written by this server`,
    );
    expect(readFileSync(kubeconfigOut, 'utf8')).toBe('mine\n');
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('--client-key-algorithm', () => {
  it.each([
    ['default on disk', { dataDir: 'data' }, 'rsa'],
    ['default in memory', { storage: 'memory' }, 'ec'],
    ['rsa', { storage: 'memory', clientKeyAlgorithm: 'rsa' }, 'rsa'],
    ['ecdsa', { dataDir: 'data', clientKeyAlgorithm: 'ecdsa' }, 'ec'],
  ] as const)('%s: the administrator has a key that the server accepts', async (_, options, type) => {
    const place = 'dataDir' in options ? { dataDir: join(folder, options.dataDir) } : {};
    const server = await startServer({ ...options, ...place, securePort: 0 });
    const client = clientFor(server.kubeconfig);
    const key = createPrivateKey(client.tls.key);
    expect(key.asymmetricKeyType).toBe(type);
    expect((await client.get('/api/v1/nodes')).status).toBe(200);
    client.close();
    await server.close();
  });
});

describe('a data dir with wide permissions', () => {
  it('is restricted to its owner at startup', async () => {
    const dataDir = join(folder, 'open');
    mkdirSync(join(dataDir, 'data'), { recursive: true });
    chmodSync(dataDir, 0o755);
    const server = await startServer({ dataDir, securePort: 0 });
    await server.close();
    expect([dataDir, join(dataDir, 'data')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
  });
});
