import type { coreV1 } from '@tsukube/api/kinds';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newNamespace, useServer } from '../../../../tests/support/server.ts';
import { Informer } from '../informer/informer.ts';
import { SharedInformers } from '../informer/shared-informers.ts';
import { Metrics } from '../metrics/metrics.ts';
import { serveEndpoints } from '../metrics/serve-endpoints.ts';
import { isConflict, isNotFound } from '../rest/api-error.ts';
import { KubeClient } from '../rest/kube-client.ts';
import { Controller, type ControllerOptions, generationChanged, watches } from './controller.ts';
import { EventRecorder } from './event-recorder.ts';
import { withFinalizer } from './finalizer.ts';
import { controllerReference, isControlledBy, setControllerReference } from './owner-references.ts';

const t = useServer();
let client: KubeClient;
let namespace: string;
let end: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  client = await KubeClient.load({ kubeconfig: t.server.kubeconfig, rateLimit: false });
  namespace = (await newNamespace(t.client)).split('/')[4] as string;
  end = new AbortController();
  running = [];
});
afterEach(async () => {
  end.abort();
  await Promise.all(running);
  client.close();
});

type ConfigMap = coreV1.ConfigMap;
const own = { fieldSelector: 'metadata.name!=kube-root-ca.crt' };
const map = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

function start(options: Pick<ControllerOptions<ConfigMap>, 'reconcile'> & Partial<ControllerOptions<ConfigMap>>) {
  const informers = new SharedInformers();
  const maps = client.resource('v1/configmaps', { namespace });
  const secrets = client.resource('v1/secrets', { namespace });
  const [mapInformer, secretInformer] = [informers.for(maps, own), informers.for(secrets)];
  const controller = new Controller({ name: 'test', for: mapInformer, owns: [secretInformer], ...options });
  running.push(informers.run(end.signal), controller.run(end.signal));
  return { maps, secrets, controller, secretInformer };
}

describe('a controller', () => {
  it('reconciles its objects, and their owners when dependents change', async () => {
    const keys: string[] = [];
    const { maps, secrets } = start({ reconcile: ({ key }) => void keys.push(key) });
    const owner = await maps.create(map('a'));
    await expect.poll(() => keys).toEqual([`${namespace}/a`]);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
    const owned = await secrets.create(setControllerReference(secret, owner));
    expect(isControlledBy(owned, owner)).toBe(true);
    await expect.poll(() => keys).toHaveLength(2);
    await secrets.create({ ...secret, metadata: { name: 'alone' } });
    await secrets.delete('s');
    await expect.poll(() => keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('retries errors with backoff, and requeues after requeueAfterMs', async () => {
    const attempts: number[] = [];
    const errors: string[] = [];
    const metrics = new Metrics();
    const { maps } = start({
      metrics,
      onError: (error, { name }) => errors.push(`${name}: ${(error as Error).message}`),
      reconcile: async () => {
        attempts.push(performance.now());
        if (attempts.length < 3) throw new Error('not yet');
        return attempts.length < 5 ? { requeueAfterMs: 30 } : {};
      },
    });
    await maps.create(map('a'));
    await expect.poll(() => attempts).toHaveLength(5);
    expect(errors).toEqual(['a: not yet', 'a: not yet']);
    expect((attempts[4] as number) - (attempts[3] as number)).toBeGreaterThan(25);
    await expect.poll(() => metrics.text()).toContain('controller_runtime_reconcile_total{controller="test",result="error"} 2\n');
    expect(metrics.text()).toContain('result="requeue_after"} 2\n');
  });

  it('works on several objects at a time, never twice on one', async () => {
    const active = new Set<string>();
    let most = 0;
    const { maps } = start({
      concurrency: 3,
      reconcile: async ({ key }) => {
        expect(active.has(key)).toBe(false);
        active.add(key);
        most = Math.max(most, active.size);
        await expect.poll(() => most).toBe(3);
        active.delete(key);
      },
    });
    for (let i = 0; i < 9; i++) await maps.create(map(`m${i}`));
    await expect.poll(() => active.size).toBe(0);
    expect(most).toBe(3);
  });

  it('maps other objects, and ignores changes that predicates refuse', async () => {
    const keys: string[] = [];
    const secrets = new Informer(client.resource('v1/secrets', { namespace }));
    running.push(secrets.run(end.signal));
    const { maps } = start({
      predicates: [({ object }) => object.data?.quiet === undefined],
      watches: [watches(secrets, ({ metadata }) => [`${namespace}/${metadata.labels?.map}`])],
      reconcile: ({ name }) => void keys.push(name),
    });
    await maps.create(map('a', { quiet: 'yes' }));
    await maps.create(map('b'));
    await expect.poll(() => keys).toEqual(['b']);
    const labels = { map: 'c' };
    await client
      .resource('v1/secrets', { namespace })
      .create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels } });
    await expect.poll(() => keys).toEqual(['b', 'c']);
    const change = (generation: number) => ({ ...map('a'), metadata: { generation } });
    expect(generationChanged({ object: change(2), old: change(1), isDeleted: false })).toBe(true);
    expect(generationChanged({ object: change(1), old: change(1), isDeleted: false })).toBe(false);
  });

  it('stops in the middle of a reconciliation by its signal', async () => {
    let stopped: unknown;
    const { maps } = start({
      reconcile: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            stopped = signal.reason;
            reject(signal.reason);
          });
          end.abort(new Error('stop'));
        }),
    });
    await maps.create(map('a'));
    await Promise.all(running);
    expect(stopped).toMatchObject({ message: 'stop' });
  });
});

describe('helpers of controllers', () => {
  it('a finalizer runs before the first change and after deletion', async () => {
    const maps = client.resource('v1/configmaps', { namespace });
    const calls: string[] = [];
    const steps = {
      apply: (object: ConfigMap) => void calls.push(`apply ${object.metadata.finalizers}`),
      cleanup: () => calls.push('cleanup'),
    };
    const made = await maps.create(map('a'));
    await withFinalizer(maps, made, 'example.com/f', steps);
    await expect(withFinalizer(maps, made, 'example.com/f', steps)).rejects.toSatisfy(isConflict);
    await withFinalizer(maps, await maps.get('a'), 'example.com/f', steps);
    await maps.delete('a');
    await withFinalizer(maps, await maps.get('a'), 'example.com/other', steps);
    await withFinalizer(maps, await maps.get('a'), 'example.com/f', steps);
    expect(calls).toEqual(['apply example.com/f', 'apply example.com/f', 'cleanup']);
    await expect(maps.get('a')).rejects.toSatisfy(isNotFound);
  });

  it('an object has one controller', async () => {
    const owner = { ...map('a'), metadata: { name: 'a', uid: '1' } };
    const owned = setControllerReference(map('b'), owner);
    expect(setControllerReference(owned, owner)).toEqual(owned);
    expect(() => setControllerReference(owned, { ...owner, metadata: { name: 'c', uid: '2' } })).toThrow(
      /controlled by ConfigMap a/,
    );
    expect(() => controllerReference(map('a'))).toThrow(TypeError);
  });

  it('events that repeat become a series, and too many are dropped', async () => {
    const events = client.resource('events.k8s.io/v1/events', { namespace });
    const regarding = await client.resource('v1/configmaps', { namespace }).create(map('a'));
    const errors: unknown[] = [];
    const recorder = new EventRecorder(client, { controller: 'example.com/test', onError: (error) => errors.push(error) });
    const event = { type: 'Normal' as const, reason: 'Tested', action: 'Test', note: 'é'.repeat(1000) };
    for (let i = 0; i < 3; i++) recorder.record(regarding, event);
    await recorder.flush();
    const [written] = (await events.list()).items;
    expect(written).toMatchObject({ reason: 'Tested', series: { count: 3 }, regarding: { name: 'a', kind: 'ConfigMap' } });
    expect(written?.note).toBe('é'.repeat(512));
    await events.delete(written?.metadata.name as string);
    for (let i = 0; i < 40; i++) recorder.record(regarding, { ...event, reason: `Reason${i}` });
    await recorder.flush();
    expect((await events.list()).items).toHaveLength(24);
    expect(errors).toEqual([]);
  });

  it('endpoints serve health, readiness and metrics', async () => {
    const metrics = new Metrics();
    metrics.counter('things_total', 'Things').inc({ kind: 'a "b"' });
    let isReady = false;
    const fail = () => Promise.reject(new Error('no'));
    const ready = { informers: () => isReady, other: () => undefined };
    const { port, close } = await serveEndpoints({ port: 0, host: '127.0.0.1', metrics, ready, health: { bad: fail } });
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return [response.status, await response.text()];
    };
    expect(await get('/readyz')).toEqual([500, '[-]informers failed\n[+]other ok\n']);
    isReady = true;
    expect(await get('/readyz?verbose')).toEqual([200, 'ok\n']);
    expect(await get('/healthz')).toEqual([500, '[-]bad failed\n']);
    expect(await get('/metrics')).toEqual([
      200,
      '# HELP things_total Things\n# TYPE things_total counter\nthings_total{kind="a \\"b\\""} 1\n',
    ]);
    expect(await get('/constructor')).toEqual([404, 'not found\n']);
    expect(await get('/metrics', 'POST')).toEqual([405, 'method not allowed\n']);
    await close();
  });
});
