import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer, startServer } from '@tsukube/server';
import { openEtcd } from '@tsukube/storage/etcd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { seeded } from '../support/random.ts';

const cuts = 100;

describe.skipIf(etcdMissing)('a server whose connection to etcd is cut repeatedly', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-outages-'));
  let etcd: RunningEtcd;
  let proxy: CuttingProxy;
  let server: RunningServer;
  let client: Client;

  beforeAll(async () => {
    etcd = await startEtcd();
    proxy = await startProxy(Number(new URL(etcd.endpoint).port));
    server = await startServer({ etcdServers: [proxy.endpoint], dataDir, securePort: 0 });
    client = clientFor(server.kubeconfig);
  });

  afterAll(async () => {
    client.close();
    await server.close();
    await proxy.close();
    await etcd.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('does not stop any controller', { timeout: 120_000 }, async () => {
    const random = seeded(7);
    const direct = await openEtcd({ endpoints: [etcd.endpoint] });
    const created: string[] = [];
    for (let cut = 0; cut < cuts; cut++) {
      const name = `cut-${cut}`;
      const { status } = await client.send('POST', '/api/v1/namespaces', { metadata: { name } });
      if (status === 201) created.push(name);
      // A compaction during an outage turns the resumed watch into a gap.
      const isGap = cut % 3 === 0;
      proxy.cut(isGap);
      await pause(random(20));
      if (isGap) await direct.compact(await direct.revision());
      proxy.open();
      await pause(random(20));
    }
    await direct.close();
    expect(created.length).toBeGreaterThan(0);
    await expect.poll(() => withoutDefaults(client, created), { timeout: 60_000, interval: 250 }).toEqual([]);
    for (const name of created) await client.send('DELETE', `/api/v1/namespaces/${name}`);
    const left = async () => (await client.get('/api/v1/namespaces')).text.match(/"name":\s*"cut-\d+"/g) ?? [];
    await expect.poll(left, { timeout: 60_000, interval: 250 }).toEqual([]);
  });
});

/** Namespaces without their default ServiceAccount or root CA ConfigMap. */
async function withoutDefaults(client: Client, namespaces: readonly string[]): Promise<string[]> {
  const namespacesIn = async (path: string) => {
    const items: { metadata: { namespace: string } }[] = (await client.get(path)).body.items ?? [];
    return new Set(items.map(({ metadata }) => metadata.namespace));
  };
  const accounts = await namespacesIn('/api/v1/serviceaccounts');
  const configMaps = await namespacesIn('/api/v1/configmaps?fieldSelector=metadata.name%3Dkube-root-ca.crt');
  return namespaces.filter((name) => !accounts.has(name) || !configMaps.has(name));
}

interface CuttingProxy {
  readonly endpoint: string;
  /** Destroys all connections. With `refuse`, new ones are refused until `open`. */
  cut(refuse: boolean): void;
  open(): void;
  close(): Promise<void>;
}

async function startProxy(port: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let refusing = false;
  const server: Server = createServer((inbound) => {
    if (refusing) return void inbound.destroy();
    const outbound = connect(port, '127.0.0.1');
    for (const [socket, peer] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => peer.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
      socket.pipe(peer);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (refuse: boolean) => {
    refusing = refuse;
    for (const socket of sockets) socket.destroy();
  };
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    open: () => {
      refusing = false;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut(true);
      await closed;
    },
  };
}
