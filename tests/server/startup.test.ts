import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { expect, it } from 'vitest';

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function readyz(port: number): Promise<number> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false };
    const sent = request(options, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', () => resolve(0)).end();
  });
}

/** Polls /readyz from before the server listens, and returns whether the file exists at its first success. */
async function existsWhenReady(port: number, file: string): Promise<boolean> {
  for (;;) {
    if ((await readyz(port)) === 200) return existsSync(file);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

// Key generation takes a random time, so one attempt may miss the race.
it('has written the kubeconfig of the administrator when /readyz succeeds', async () => {
  const found: boolean[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-startup-'));
    const port = await freePort();
    const kubeconfigOut = join(dataDir, 'admin.kubeconfig');
    const started = startServer({ storage: 'memory', securePort: port, dataDir, certDir: join(dataDir, 'pki'), kubeconfigOut });
    found.push(await existsWhenReady(port, kubeconfigOut));
    await (await started).close();
    rmSync(dataDir, { recursive: true });
  }
  expect(found).toEqual([true, true, true]);
});

it('can be restarted on a data dir after its port was taken', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-startup-'));
  const occupant = createServer();
  await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve));
  const { port } = occupant.address() as AddressInfo;
  await expect(startServer({ securePort: port, dataDir })).rejects.toThrow('EADDRINUSE');
  occupant.close();
  const server = await startServer({ securePort: port, dataDir });
  expect(await readyz(port)).toBe(200);
  await server.close();
  rmSync(dataDir, { recursive: true });
});
