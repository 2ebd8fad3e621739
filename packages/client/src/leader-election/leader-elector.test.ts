import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../../../../tests/support/server.ts';
import { portOf, startTcpProxy, type TcpProxy, throughPort } from '../../../../tests/support/tcp-proxy.ts';
import { KubeClient } from '../rest/kube-client.ts';
import { LeaderElector, LeadershipLost } from './leader-elector.ts';

const t = useServer();
const times = { leaseDurationMs: 1000, renewDeadlineMs: 600, retryPeriodMs: 100 };
let namespace: string;
let proxy: TcpProxy;
let clients: KubeClient[];

beforeEach(async () => {
  namespace = (await newNamespace(t.client)).split('/')[4] as string;
  proxy = await startTcpProxy(portOf(t.server.kubeconfig));
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.close();
  await proxy.close();
});

async function candidate(identity: string, kubeconfig = t.server.kubeconfig) {
  const client = await KubeClient.load({ kubeconfig, rateLimit: false, retry: { limit: 0 } });
  clients.push(client);
  const seen: string[] = [];
  const elector = new LeaderElector(client, { namespace, name: 'l', identity, ...times, onNewLeader: (who) => seen.push(who) });
  const end = new AbortController();
  let leading: AbortSignal | undefined;
  const done = elector.run(end.signal, (signal) => {
    leading = signal;
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  });
  done.catch(() => {});
  return { client, elector, end, done, seen, signal: () => leading };
}

describe('leader election', () => {
  it('has one leader; the next one leads at once when it is cancelled', async () => {
    const a = await candidate('a');
    await expect.poll(() => a.elector.isLeader).toBe(true);
    const b = await candidate('b');
    await expect.poll(() => b.seen).toEqual(['a']);
    expect(b.signal()).toBeUndefined();
    const leases = a.client.resource('coordination.k8s.io/v1/leases', { namespace });
    const before = await leases.get('l');
    await expect.poll(async () => (await leases.get('l')).spec.renewTime).not.toBe(before.spec.renewTime);
    a.end.abort();
    await a.done;
    expect(a.signal()?.aborted).toBe(true);
    const released = performance.now();
    await expect.poll(() => b.elector.isLeader).toBe(true);
    expect(performance.now() - released).toBeLessThan(900);
    expect((await leases.get('l')).spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1, leaseDurationSeconds: 1 });
    b.end.abort();
    await b.done;
  });

  it('a leader without a connection stops before another one leads', async () => {
    const a = await candidate('a', throughPort(t.server.kubeconfig, proxy.port));
    await expect.poll(() => a.elector.isLeader).toBe(true);
    const b = await candidate('b');
    proxy.isDown = true;
    proxy.silence();
    let lostAt = 0;
    a.signal()?.addEventListener('abort', () => {
      lostAt = performance.now();
    });
    await expect.poll(() => b.signal() !== undefined, { timeout: 5_000, interval: 5 }).toBe(true);
    expect(lostAt).toBeGreaterThan(0);
    expect(lostAt).toBeLessThan(performance.now());
    await expect(a.done).rejects.toThrow(LeadershipLost);
    b.end.abort();
    await b.done;
  });

  it('fails with the error of the work, and releases the lease', async () => {
    const client = await KubeClient.load({ kubeconfig: t.server.kubeconfig, rateLimit: false });
    clients.push(client);
    const elector = new LeaderElector(client, { namespace, name: 'l', identity: 'a', ...times });
    const run = elector.run(new AbortController().signal, () => {
      throw new Error('broken');
    });
    await expect(run).rejects.toThrow('broken');
    const lease = await client.resource('coordination.k8s.io/v1/leases', { namespace }).get('l');
    expect(lease.spec.holderIdentity).toBe('');
  });

  it.each([
    [{ leaseDurationMs: 1000, renewDeadlineMs: 1000 }, /leaseDurationMs must be greater/],
    [{ renewDeadlineMs: 2400, retryPeriodMs: 2000 }, /renewDeadlineMs must be greater/],
    [{ identity: '' }, /identity/],
  ])('refuses %j', async (options, message) => {
    const client = await KubeClient.load({ kubeconfig: t.server.kubeconfig });
    clients.push(client);
    expect(() => new LeaderElector(client, { namespace, name: 'l', identity: 'a', ...options })).toThrow(message);
  });
});
