import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Any, type Client, clientFor } from '../../../support/client.ts';
import { useServer } from '../../../support/server.ts';
import { type Step, scenarios } from './scenarios.ts';
import { snapshot } from './snapshot.ts';

/**
 * The states that kube-controller-manager and kube-scheduler 1.36.4 lead to, on nodes that this simulation plays. With
 * RECORD_FROM=KUBECONFIG they are recorded from that cluster.
 */
const file = join(import.meta.dirname, 'recorded.json');
const recordFrom = process.env.RECORD_FROM;
const recorded: Record<string, Any> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const under = recordFrom ? undefined : useServer({ controllers: ['*', 'workloads'], simulateNodes: 3 });

async function run(client: Client, steps: readonly Step[]): Promise<Any> {
  const namespace = `recorded-${Math.random().toString(36).slice(2, 10)}`;
  await client.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const states: Record<string, Any> = {};
  for (const step of steps) {
    const path = step.path.replace('NAMESPACE', `namespaces/${namespace}`);
    const type = step.method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : undefined;
    await vi.waitFor(async () => {
      const { status, text } = await client.send(step.method, path, step.body, type);
      if (status >= 300) throw new Error(text);
    }, patience);
    states[step.does] = await settled(client, namespace, step);
  }
  await client.send('DELETE', `/api/v1/namespaces/${namespace}`);
  return states;
}

const patience = { timeout: 20_000, interval: 50 };
const quietMs = recordFrom ? 3000 : 400;

/** The state once the condition holds and nothing changes any more. */
async function settled(client: Client, namespace: string, { until }: Step): Promise<Any> {
  let last: Any;
  let since = 0;
  return vi.waitFor(
    async () => {
      const now = await snapshot(client, namespace);
      if (JSON.stringify(now) !== JSON.stringify(last)) since = Date.now();
      last = now;
      if (!until(now) || Date.now() - since < quietMs) throw new Error(`not settled: ${JSON.stringify(now).slice(0, 2000)}`);
      return now;
    },
    { timeout: 50_000, interval: 100 },
  );
}

describe('workload controllers behave like kube-controller-manager', () => {
  it.each(Object.entries(scenarios))(
    '%s',
    async (name, steps) => {
      const client = recordFrom ? clientFor(readFileSync(recordFrom, 'utf8')) : (under?.client as Client);
      await vi.waitFor(async () => {
        const { body } = await client.get('/api/v1/nodes');
        expect(body.items.map(({ spec }: Any) => spec.taints)).toEqual([undefined, undefined, undefined]);
      }, patience);
      const states = await run(client, steps);
      if (recordFrom) {
        recorded[name] = states;
        writeFileSync(file, `${JSON.stringify(recorded, undefined, 2)}\n`);
      }
      expect(states).toEqual(recorded[name]);
    },
    120_000,
  );
});
