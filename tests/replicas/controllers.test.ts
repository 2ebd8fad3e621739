import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { KubeClient, LeaderElector } from '@tsukube/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas.ts';
import { configMap } from '../support/server.ts';
import { notBuilt } from '../support/server-process.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const controllerCount = 15;
const isRunnable = !notBuilt && !etcdMissing;

let etcd: RunningEtcd;
let replicas: Replicas | undefined;
const clients: Client[] = [];

beforeAll(async () => {
  if (isRunnable) etcd = await startEtcd();
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await replicas?.close();
});
afterAll(() => etcd?.stop());

/** Each test has its own keys. */
async function start(prefix: string, count: number, ...args: string[]): Promise<Replicas> {
  const store = [`--etcd-servers=${etcd.endpoint}`, `--etcd-prefix=/${prefix}`];
  replicas = await startReplicas({ count, args: [...store, ...args], quiet: true });
  return replicas;
}

function clientOf({ kubeconfig }: Replica): Client {
  const client = clientFor(kubeconfig);
  clients.push(client);
  return client;
}

/** The controllers by the ports of the servers that hold their leases. */
async function holders(client: Client): Promise<Map<number, string[]>> {
  const { items } = (await client.get(leases)).body;
  const portOf = (holder: string): number => {
    const identity = items.find(({ metadata }: Any) => metadata.name === holder.split('_')[0]);
    return Number(identity?.metadata.annotations['kubernetes.io/peer-advertise-address'].split(':').at(-1));
  };
  const members = new Set(items.filter(({ metadata }: Any) => /^tsukube-apiserver-/.test(metadata.name)).map(holderOf));
  const held = new Map<number, string[]>();
  for (const lease of items) {
    const [, name] = /^tsukube-(.*-controller)$/.exec(lease.metadata.name) ?? [];
    if (name === undefined || !members.has(holderOf(lease))) continue;
    const port = portOf(holderOf(lease));
    held.set(port, [...(held.get(port) ?? []), name]);
  }
  return held;
}

function holderOf(lease: Any): string {
  return lease.spec.holderIdentity;
}

/** How many controllers each server runs, in descending order. */
async function shares(client: Client): Promise<number[]> {
  return [...(await holders(client)).values()].map(({ length }) => length).sort((a, b) => b - a);
}

const configMaps = '/api/v1/namespaces/default/configmaps';

/** Work for the garbage collector. Returns a function that tells whether it is done. */
async function leaveGarbage(client: Client, name: string): Promise<() => Promise<boolean>> {
  const { metadata } = (await client.send('POST', configMaps, configMap(`owner-${name}`))).body;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: metadata.name, uid: metadata.uid }];
  const dependent = { ...configMap(''), metadata: { name: `dependent-${name}`, ownerReferences } };
  expect((await client.send('POST', configMaps, dependent)).status).toBe(201);
  await client.send('DELETE', `${configMaps}/${metadata.name}?propagationPolicy=Background`);
  return async () => (await client.get(`${configMaps}/dependent-${name}`)).status === 404;
}

/** Work for the namespace controller. */
async function leaveNamespace(client: Client, name: string): Promise<() => Promise<boolean>> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name } });
  expect((await client.send('POST', `/api/v1/namespaces/${name}/configmaps`, configMap('content'))).status).toBe(201);
  await client.send('DELETE', `/api/v1/namespaces/${name}`);
  return async () => (await client.get(`/api/v1/namespaces/${name}`)).status === 404;
}

/** When each controller ran on a server, from its log. */
function periods({ dataDir }: Replica, killedAt: number): { controller: string; from: number; to: number }[] {
  const open = new Map<string, number>();
  const all: { controller: string; from: number; to: number }[] = [];
  const end = (controller: string, to: number) => {
    const from = open.get(controller);
    if (from !== undefined) all.push({ controller, from, to });
    open.delete(controller);
  };
  for (const line of readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8').split('\n')) {
    // A server that was killed has logged no end.
    if (line.includes(' serving ')) for (const controller of [...open.keys()]) end(controller, killedAt);
    const [, time, event, list] = /^(\S+) \w+ +controllers (started|stopped|move)\b.* controllers=(\[.*\])/.exec(line) ?? [];
    for (const controller of JSON.parse(list ?? '[]') as string[]) {
      if (event === 'started') open.set(controller, Date.parse(time as string));
      else end(controller, Date.parse(time as string));
    }
  }
  for (const controller of [...open.keys()]) end(controller, Date.now());
  return all;
}

describe.runIf(isRunnable)('controllers of three replicas', () => {
  it('run once each, and are taken over from a server that is killed, shut down or new', { timeout: 120_000 }, async () => {
    const { members } = await start('spread', 3);
    const byPort = (port: number) => members.find((member) => member.port === port) as Replica;
    const [first] = members as [Replica];
    const total = async (client: Client) => (await shares(client)).reduce((sum, each) => sum + each, 0);
    await expect.poll(() => total(clientOf(first)), { timeout: 20_000 }).toBe(controllerCount);

    const before = await holders(clientOf(first));
    const [victimPort] = [...before].find(([, names]) => names.includes('namespace-controller')) as [number, string[]];
    const victim = byPort(victimPort);
    const [one, other] = members.filter((member) => member !== victim) as [Replica, Replica];
    const client = clientOf(one);
    await victim.kill();
    const killedAt = Date.now();
    const isCollected = await leaveGarbage(client, 'after-kill');
    await expect.poll(await leaveNamespace(client, 'after-kill'), { timeout: 20_000 }).toBe(true);
    await expect.poll(isCollected, { timeout: 20_000 }).toBe(true);
    expect(Date.now() - killedAt).toBeLessThan(15_000);
    await expect.poll(() => shares(client), { timeout: 20_000 }).toEqual([8, 7]);

    expect(await other.stop()).toBe(0);
    const stoppedAt = Date.now();
    await expect.poll(() => shares(client), { timeout: 20_000 }).toEqual([controllerCount]);
    expect(Date.now() - stoppedAt).toBeLessThan(4_000);
    await expect.poll(await leaveGarbage(client, 'after-shutdown'), { timeout: 20_000 }).toBe(true);

    await Promise.all([victim.start(), other.start()]);
    await expect.poll(() => shares(client), { timeout: 30_000 }).toEqual([5, 5, 5]);
    await expect.poll(await leaveGarbage(client, 'after-start'), { timeout: 20_000 }).toBe(true);

    const all = members.flatMap((member) => periods(member, killedAt));
    expect(new Set(all.map(({ controller }) => controller)).size).toBe(controllerCount);
    const overlaps = all.flatMap((a, i) =>
      all.slice(i + 1).filter((b) => a.controller === b.controller && a.from < b.to && b.from < a.to),
    );
    expect(overlaps).toEqual([]);

    const revision = async () => Number((await client.get('/api/v1/nodes')).body.metadata.resourceVersion);
    const idleFrom = await revision();
    await pause(3_000);
    expect((await revision()) - idleFrom).toBeLessThan(25);
  });

  it('wait for a server of an earlier version with one lease for all, and keep it from starting', {
    timeout: 60_000,
  }, async () => {
    const { members } = await start('upgrade', 1, '--controllers=');
    const [api] = members as [Replica];
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-upgrade-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, api.kubeconfig);
    const earlier = await KubeClient.load({ kubeconfig, rateLimit: false });
    const times = { leaseDurationMs: 10_000, renewDeadlineMs: 7_000, retryPeriodMs: 500 };
    const election = { namespace: 'kube-system', name: 'tsukube-controllers', identity: 'apiserver-earlier', ...times };
    const elector = new LeaderElector(earlier, election);
    const [ending, again] = [new AbortController(), new AbortController()];
    const leading = elector.run(ending.signal, (signal) => untilAborted(signal));
    await expect.poll(() => elector.isLeader, { timeout: 10_000 }).toBe(true);
    const upgraded = await startReplicas({
      count: 1,
      args: [`--etcd-servers=${etcd.endpoint}`, '--etcd-prefix=/upgrade'],
      quiet: true,
    });
    try {
      const [next] = upgraded.members as [Replica];
      const client = clientOf(next);
      const isCollected = await leaveGarbage(client, 'waits');
      await expect.poll(async () => (await client.get(leases)).text, { timeout: 10_000 }).toContain('tsukube-apiserver-');
      await pause(2_000);
      expect(await isCollected()).toBe(false);
      expect(await shares(client)).toEqual([]);
      ending.abort();
      await leading;
      await expect.poll(isCollected, { timeout: 10_000 }).toBe(true);
      // It starts again and waits, until the last server of this version shuts down.
      const waiting = new LeaderElector(earlier, election).run(again.signal, () => 'leads');
      await expect(Promise.race([waiting, pause(2_000, 'waits')])).resolves.toBe('waits');
      expect(await next.stop()).toBe(0);
      await waiting;
    } finally {
      again.abort();
      earlier.close();
      await upgraded.close();
      rmSync(folder, { recursive: true });
    }
  });
});

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
