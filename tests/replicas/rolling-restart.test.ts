import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KubeClient, watcher } from '@tsukube/client';
import { afterEach, describe, expect, it } from 'vitest';
import { hasCommand } from '../support/commands.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas.ts';
import { notBuilt } from '../support/server-process.ts';
import { type SharedStore, type SharedStoreKind, sharedStoreMissing, startSharedStore } from '../support/shared-store.ts';

const namespace = 'rolling';
const run = promisify(execFile);

let store: SharedStore | undefined;
let replicas: Replicas | undefined;
let folder: string;

afterEach(async () => {
  await replicas?.close();
  await store?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Requests until the signal is aborted. A client with ordinary retries sees no failure. */
interface Load {
  requests: number;
  readonly failures: string[];
}

async function writeAndRead(client: KubeClient, writer: string, load: Load, signal: AbortSignal): Promise<void> {
  const api = client.resource('v1/configmaps', { namespace });
  for (let i = 0; !signal.aborted; i++) {
    const name = `${writer}-${i}`;
    const metadata = { name, namespace };
    try {
      const made = await api.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: '0' } });
      const changed = await api.update({ ...made, data: { n: '1' } });
      const { items } = await api.list();
      const read = await api.get(name);
      if (read.metadata.resourceVersion !== changed.metadata.resourceVersion) load.failures.push(`${name}: read an older state`);
      if (!items.some((item) => item.metadata.name === name)) load.failures.push(`${name}: missing in the list`);
      await api.delete(name);
      load.requests += 5;
    } catch (error) {
      load.failures.push(`${name}: ${error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : error}`);
    }
  }
}

/** Events in order, without gap and repeat: their versions rise, and an object is never added twice. */
async function follow(client: KubeClient, load: Load, signal: AbortSignal): Promise<void> {
  const alive = new Map<string, number>();
  let last = 0;
  for await (const event of watcher(client.resource('v1/configmaps', { namespace }), { signal })) {
    if (!('object' in event)) continue;
    load.requests++;
    const { name = '', resourceVersion } = event.object.metadata;
    if (event.type === 'initApply') {
      alive.set(name, Number(event.object.data?.n ?? 0) + 1);
      continue;
    }
    if (Number(resourceVersion) <= last) load.failures.push(`an event of ${resourceVersion} came after ${last}`);
    last = Number(resourceVersion);
    const step = event.type === 'delete' ? 0 : Number(event.object.data?.n ?? 0) + 1;
    if (name.startsWith('own-') && step !== ((alive.get(name) ?? 0) + 1) % 3)
      load.failures.push(`${name} goes from ${alive.get(name)} to ${step}`);
    alive.set(name, step);
  }
}

async function kubectl(kubeconfig: string, load: Load, signal: AbortSignal): Promise<void> {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfig);
  const manifest = join(folder, 'manifest.yaml');
  for (let i = 0; !signal.aborted; i++) {
    writeFileSync(
      manifest,
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: by-kubectl, namespace: ${namespace}}\ndata: {n: "${i}"}\n`,
    );
    for (const args of [
      ['apply', '-f', manifest],
      ['get', 'configmaps', '-n', namespace],
    ])
      await run('kubectl', ['--kubeconfig', file, ...args]).then(
        () => load.requests++,
        (error) => load.failures.push(`kubectl: ${error.message}`),
      );
  }
}

const protocols = [undefined, undefined, 'http/1.1', 'http/1.1'] as const;

/** The ports of the servers in the endpoints of the Service kubernetes. */
async function endpointPorts(client: KubeClient): Promise<(number | undefined)[]> {
  const { subsets = [] } = await client.resource('v1/endpoints', { namespace: 'default' }).get('kubernetes');
  return subsets.map(({ ports }) => ports?.[0]?.port);
}

/** Shuts a server down: it leaves the endpoints of the Service kubernetes while it still serves. */
async function shutDown(member: Replica, client: KubeClient): Promise<void> {
  let hasEnded = false;
  const stopping = member.stop().finally(() => {
    hasEnded = true;
  });
  await expect.poll(() => endpointPorts(client), { timeout: 10_000, interval: 20 }).not.toContain(member.port);
  expect(hasEnded).toBe(false);
  expect(await stopping).toBe(0);
}

/** Restarts all replicas, one after the other, under load. */
async function restartAll(
  kind: SharedStoreKind,
  flags: readonly string[],
): Promise<Record<'requests' | 'watches' | 'kubectl', Load>> {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-rolling-'));
  store = await startSharedStore(kind);
  replicas = await startReplicas({ count: 3, args: [...store.args, ...flags], quiet: true });
  const { kubeconfig, members, balancer } = replicas;
  const file = join(folder, 'admin');
  writeFileSync(file, kubeconfig);
  const clients = await Promise.all(
    protocols.map((protocol) => KubeClient.load({ kubeconfig: file, rateLimit: false, protocol })),
  );
  const [first] = clients as [KubeClient, ...KubeClient[]];
  await first.resource('v1/namespaces').create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} });
  const ending = new AbortController();
  const loads = { requests: newLoad(), watches: newLoad(), kubectl: newLoad() };
  const running = [
    ...clients.map((client, i) => writeAndRead(client, `own-${i}`, loads.requests, ending.signal)),
    ...clients.map((client) => follow(client, loads.watches, ending.signal)),
    ...(hasCommand('kubectl') ? [kubectl(kubeconfig, loads.kubectl, ending.signal)] : []),
  ];
  for (const member of members) {
    await shutDown(member, first);
    await member.start();
    await expect.poll(() => balancer.healthy.includes(member.port), { timeout: 20_000 }).toBe(true);
  }
  ending.abort();
  await Promise.all(running);
  for (const client of clients) client.close();
  return loads;
}

function newLoad(): Load {
  return { requests: 0, failures: [] };
}

const delay = '--shutdown-delay-duration=1s';

describe.skipIf(notBuilt).each([
  ['etcd, closing the port', 'etcd', [delay]],
  ['etcd, sending Retry-After', 'etcd', [delay, '--shutdown-send-retry-after']],
  ['PostgreSQL', 'postgres', [delay]],
] as const)('a rolling restart of three replicas on %s', (_, kind, flags) => {
  it.skipIf(Boolean(sharedStoreMissing[kind]))('under load fails no request', { timeout: 120_000 }, async () => {
    const loads = await restartAll(kind, flags);
    expect(Object.values(loads).flatMap(({ failures }) => failures)).toEqual([]);
    expect(loads.requests.requests).toBeGreaterThan(100);
    expect(loads.watches.requests).toBeGreaterThan(100);
  });
});
