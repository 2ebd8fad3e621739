import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type StartOptions, startServer } from '@tsukube/server';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { clientFor } from '../support/client.ts';
import { configMap } from '../support/server.ts';

/** Long runs: `TSUKUBE_CYCLES=1000 npx vitest run tests/server/cycles.test.ts`. */
const cycles = Number(process.env.TSUKUBE_CYCLES ?? 12);
const warmUp = 5;
const timeoutMs = 60_000 + cycles * 2_000;

const folder = mkdtempSync(join(tmpdir(), 'tsukube-cycles-'));
afterAll(() => rmSync(folder, { recursive: true }));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.cycles.test' },
  spec: {
    group: 'cycles.test',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

/** Starts a server, uses its main features, and closes it. */
async function cycle(options: StartOptions): Promise<void> {
  const server = await startServer({ securePort: 0, ...options });
  const client = clientFor(server.kubeconfig);
  const path = '/api/v1/namespaces/default/configmaps';
  const watch = await client.watch(`${path}?watch=1`);
  await client.send('DELETE', `${path}/kept`);
  await client.send('POST', path, configMap('kept'));
  await client.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await expect
    .poll(async () => (await client.get('/apis/cycles.test/v1/widgets')).status, { timeout: 20_000, interval: 10 })
    .toBe(200);
  await client.get('/openapi/v3');
  await server.close();
  await watch.ended();
  client.close();
}

async function heapMegabytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 2 ** 20;
}

/** The stacks of active timers, including unreferenced ones. */
function trackTimers(): () => readonly string[] {
  const pending = new Map<unknown, string>();
  const { setTimeout: set, setInterval: repeat, clearTimeout: clear, clearInterval: end } = globalThis;
  const origin = () => new Error().stack?.split('\n')[3]?.trim() ?? '';
  const forgetting = (clearing: (timer: never) => void) => (timer: unknown) => {
    pending.delete(timer);
    clearing(timer as never);
  };
  Object.assign(globalThis, {
    setTimeout(act: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) {
      const timer = set(() => {
        pending.delete(timer);
        act(...values);
      }, ms);
      pending.set(timer, origin());
      return timer;
    },
    setInterval(act: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) {
      const timer = repeat(act, ms, ...values);
      pending.set(timer, origin());
      return timer;
    },
    clearTimeout: forgetting(clear),
    clearInterval: forgetting(end),
  });
  onTestFinished(
    () => void Object.assign(globalThis, { setTimeout: set, setInterval: repeat, clearTimeout: clear, clearInterval: end }),
  );
  return () => [...pending.values()].filter((place) => place.includes('/packages/'));
}

describe.each([
  ['memory', { storage: 'memory' }],
  ['lmdb', { dataDir: join(folder, 'data') }],
] as const)('a server on %s that is closed', (_, options) => {
  it('leaves no timers and no handles', { timeout: timeoutMs }, async () => {
    await cycle(options);
    const timers = trackTimers();
    const handles = () => process.getActiveResourcesInfo().filter((type) => /TCP|UDP|FSEvent|StatWatcher/.test(type));
    await cycle(options);
    // Sockets and the store finish in the next iterations of the event loop.
    await expect.poll(timers, { timeout: 5_000 }).toEqual([]);
    await expect.poll(handles, { timeout: 5_000 }).toEqual([]);
  });

  it(`does not leak memory in ${cycles} cycles`, { timeout: timeoutMs }, async () => {
    for (let i = 0; i < warmUp; i++) await cycle(options);
    const before = await heapMegabytes();
    for (let i = 0; i < cycles; i++) await cycle(options);
    const kept = (await heapMegabytes()) - before;
    // Compiled code and bounded caches; a leaked server would take ten megabytes.
    expect(kept).toBeLessThan(8);
  });
});
