import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, expect, it, vi } from 'vitest';
import { clientFor } from '../support/client.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-repair-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function withServer(work: (client: ReturnType<typeof clientFor>) => Promise<void>): Promise<void> {
  const server = await startServer({ dataDir, securePort: 0 });
  const client = clientFor(server.kubeconfig);
  try {
    await work(client);
  } finally {
    client.close();
    await server.close();
  }
}

const services = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
const service = (name: string, nodePort?: number) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] },
});

it('startup repairs the allocations of ClusterIPs and node ports', async () => {
  let clusterIP = '';
  let nodePort = 0;
  await withServer(async (client) => {
    const { spec } = (await client.send('POST', services, service('a'))).body;
    clusterIP = spec.clusterIP;
    nodePort = spec.ports[0].nodePort;
    expect((await client.send('DELETE', `${addresses}/${clusterIP}`)).status).toBe(200);
  });
  await withServer(async (client) => {
    await vi.waitFor(async () => expect((await client.get(`${addresses}/${clusterIP}`)).status).toBe(200), 5000);
    const { text } = await client.send('POST', services, service('b', nodePort));
    expect(text).toContain('provided port is already allocated');
    const other = { ...service('c'), spec: { clusterIP, ports: [{ port: 80 }] } };
    expect((await client.send('POST', services, other)).text).toContain('provided IP is already allocated');
  });
});
