import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { configMap, newNamespace } from '../support/server.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';

const movableClock = fileURLToPath(new URL('../faults/movable-clock.cjs', import.meta.url));
const hourMs = 3_600_000;
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

describe.skipIf(notBuilt || etcdMissing)('three replicas, the clock of one is two hours ahead', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-skew-'));
  let etcd: RunningEtcd;
  let servers: ServerProcess[];
  let clients: Client[];
  let wrong: Client;
  let right: Client;

  beforeAll(async () => {
    etcd = await startEtcd();
    const args = [`--etcd-servers=${etcd.endpoint}`, `--cert-dir=${join(folder, 'pki')}`, '--event-ttl=3s'];
    const launch = (i: number) =>
      launchServer({ dataDir: join(folder, `r${i}`), args, nodeArgs: ['--require', movableClock], ipc: true, quiet: true });
    servers = [0, 1, 2].map(launch);
    clients = (await Promise.all(servers.map(({ ready }) => ready))).map(clientFor);
    [wrong, right] = clients as [Client, Client];
    await (servers[0] as ServerProcess).ask('jump', 2 * hourMs);
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(servers.map((server) => server.kill()));
    await etcd.stop();
    rmSync(folder, { recursive: true });
  });

  it('loses nothing: writes, watches and lists of all go on', async () => {
    const path = await newNamespace(wrong);
    const watch = await right.watch(`${path}?watch=1&labelSelector=skew`);
    for (const [i, client] of clients.entries())
      expect((await client.send('POST', path, configMap(`c${i}`, { skew: '' }))).status).toBe(201);
    const events = await watch.take(3);
    expect(events.map(({ object }: Any) => object.metadata.name)).toEqual(['c0', 'c1', 'c2']);
    watch.close();
    // Timestamps are those of the server that made the write; the order is that of the store.
    const [first = 0, second = 0] = events.map(({ object }: Any) => Date.parse(object.metadata.creationTimestamp));
    expect(first - second).toBeGreaterThan(hourMs);
    const versions = events.map(({ object }: Any) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    await right.send('DELETE', `${path}/c0`);
    expect((await wrong.get(`${path}/c0`)).status).toBe(404);
  });

  it('expires Events by the clock of the store', async () => {
    const involvedObject = { kind: 'ConfigMap', name: 'x', namespace: 'default' };
    const events = '/api/v1/namespaces/default/events';
    const { body, status } = await wrong.send('POST', events, { metadata: { generateName: 'e-' }, involvedObject });
    expect(status).toBe(201);
    expect((await right.get(`${events}/${body.metadata.name}`)).status).toBe(200);
    await expect.poll(async () => (await right.get(`${events}/${body.metadata.name}`)).status, { timeout: 20_000 }).toBe(404);
  });

  it('expires tokens by the clock of the server that checks them', async () => {
    const issue = async (client: Client) => {
      const path = '/api/v1/namespaces/default/serviceaccounts/default/token';
      return (await client.send('POST', path, { spec: { expirationSeconds: 600 } })).body.status.token as string;
    };
    const review = async (client: Client, token: string) => {
      const { body } = await client.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
      return body.status as Any;
    };
    expect((await review(wrong, await issue(right))).error).toContain('service account token has expired');
    expect((await review(right, await issue(wrong))).error).toContain('not valid yet');
  });

  it('becomes unready on that server only, with the reason, until the clock is set', { timeout: 90_000 }, async () => {
    const reason = 'the clock of this server is 120m ahead of those of the other servers on the store';
    const readyz = (client: Client) => client.get('/readyz');
    await expect.poll(async () => (await readyz(wrong)).text, { timeout: 45_000 }).toContain(`[-]clock failed: ${reason}\n`);
    expect((await readyz(wrong)).status).toBe(500);
    expect((await wrong.get('/livez')).status).toBe(200);
    for (const client of clients.slice(1)) expect((await readyz(client)).text).toBe('ok');
    expect(readFileSync(join(folder, 'r0', 'logs', 'tsukube.log'), 'utf8')).toContain(reason);

    // The leases of all live servers are still there.
    const { items } = (await right.get(leases)).body;
    const named = (prefix: string) => items.filter(({ metadata }: Any) => metadata.name.startsWith(prefix));
    expect([named('apiserver-').length, named('tsukube-apiserver-').length]).toEqual([3, 3]);
    const log = servers.map((_, i) => readFileSync(join(folder, `r${i}`, 'logs', 'tsukube.log'), 'utf8')).join('');
    expect(log).not.toContain('did not renew its lease');

    await (servers[0] as ServerProcess).ask('jump', -2 * hourMs);
    await expect.poll(async () => (await readyz(wrong)).text, { timeout: 45_000 }).toBe('ok');
  });
});
