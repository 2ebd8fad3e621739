import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { Agent, request as send } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '@tsukube/server';
import { afterAll, describe, expect, it } from 'vitest';
import { type Any, type Client, clientFor } from '../support/client.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-flow-'));
const tokenAuthFile = join(folder, 'tokens.csv');
writeFileSync(tokenAuthFile, 'jane-token,jane,1\nslow-token,slow,2\nnode-token,system:node:n,3,"system:nodes"\n');
afterAll(() => rmSync(folder, { recursive: true }));

const t = useServer({ tokenAuthFile, authorizationMode: ['AlwaysAllow'], requestTimeout: 8000 });
const root = '/apis/flowcontrol.apiserver.k8s.io/v1';
const bearer = (name: string) => ({ authorization: `Bearer ${name}-token` });

/** Sends a request with a token and without a client certificate, which would take precedence. */
function as(client: Client, user: string, method: string, path: string, body?: string) {
  const agent = new Agent({ ca: client.tls.ca });
  const headers = { ...bearer(user), ...(body !== undefined && { 'content-type': 'application/json' }) };
  let sent: ClientRequest | undefined;
  const reply = new Promise<{ status: number; headers: Any; text: string }>((resolve, reject) => {
    sent = send(client.url + path, { method, headers, agent }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject);
    if (body === undefined) sent.end();
    else sent.write(body);
  });
  return { reply, sent: sent as ClientRequest };
}

const uidOf = async (kind: string, name: string) => (await t.client.get(`${root}/${kind}/${name}`)).body.metadata.uid;

function level(name: string, queuing: object): object {
  const limitResponse = { type: 'Queue', queuing };
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name },
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 0, borrowingLimitPercent: 0, limitResponse } },
  };
}

function schema(name: string, to: string, user: string): object {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name },
    spec: {
      priorityLevelConfiguration: { name: to },
      matchingPrecedence: 50,
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
        },
      ],
    },
  };
}

describe('the configuration', () => {
  it('has kube-apiserver’s defaults after startup', async () => {
    const names = async (kind: string) =>
      (await t.client.get(`${root}/${kind}`)).body.items.map((item: Any) => item.metadata.name);
    expect(await names('flowschemas')).toHaveLength(11);
    expect(await names('prioritylevelconfigurations')).toHaveLength(8);
    await expect
      .poll(async () => (await t.client.get(`${root}/flowschemas/probes`)).body.status.conditions)
      .toMatchObject([{ type: 'Dangling', status: 'False', reason: 'Found' }]);
  });

  it.each([
    ['jane', '/api/v1/nodes', 'global-default', 'global-default'],
    ['node', '/api/v1/nodes', 'system-node-high', 'node-high'],
    ['node', '/api/v1/pods', 'system-nodes', 'system'],
    ['jane', '/healthz', 'probes', 'exempt'],
  ])('%s, requesting %s, gets the headers of its flow schema and priority level', async (user, path, schemaName, levelName) => {
    const { headers, status } = await as(t.client, user, 'GET', path).reply;
    expect(status).toBe(200);
    expect(headers['x-kubernetes-pf-flowschema-uid']).toBe(await uidOf('flowschemas', schemaName));
    expect(headers['x-kubernetes-pf-prioritylevel-uid']).toBe(await uidOf('prioritylevelconfigurations', levelName));
  });

  it('sets the condition Dangling of a FlowSchema', async () => {
    const dangling = async () => (await t.client.get(`${root}/flowschemas/lost`)).body.status.conditions?.[0];
    expect((await t.client.send('POST', `${root}/flowschemas`, schema('lost', 'found-later', 'nobody'))).status).toBe(201);
    await expect.poll(dangling).toMatchObject({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message: 'This FlowSchema references the PriorityLevelConfiguration object named "found-later" but there is no such object',
    });
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 1 };
    expect((await t.client.send('POST', `${root}/prioritylevelconfigurations`, level('found-later', queuing))).status).toBe(201);
    await expect.poll(dangling).toMatchObject({ status: 'False', reason: 'Found' });
  });

  describe('Dangling', () => {
    const path = `${root}/flowschemas`;
    const type = (patch: string) => ({ 'content-type': `application/${patch}` });
    /** Milliseconds from a write until the condition names the priority level. */
    async function delayOf(name: string, to: string, write: () => Promise<{ status: number }>): Promise<number> {
      const watch = await t.client.watch(`${path}?watch=true&fieldSelector=metadata.name%3D${name}`);
      const begun = performance.now();
      expect((await write()).status).toBeLessThan(300);
      let condition: Any;
      do condition = (await watch.next()).object.status.conditions?.[0];
      while (!condition?.message.includes(`"${to}"`));
      watch.close();
      return performance.now() - begun;
    }
    /** The minimum of a few attempts, because the machine may be busy. */
    async function quickest(trial: (name: string) => Promise<number>, prefix: string): Promise<number> {
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < 5 && best >= 100; i++) best = Math.min(best, await trial(`${prefix}-${i}`));
      return best;
    }

    it.each([
      ['create', (name: string) => t.client.send('POST', path, schema(name, 'missing', 'nobody'))],
      [
        'apply',
        (name: string) =>
          t.client.send(
            'PATCH',
            `${path}/${name}?fieldManager=test`,
            schema(name, 'missing', 'nobody'),
            type('apply-patch+yaml'),
          ),
      ],
    ])('is written within 100 ms after %s', async (verb, write) => {
      expect(await quickest((name) => delayOf(name, 'missing', () => write(name)), `dangling-${verb}`)).toBeLessThan(100);
    });

    it('is written within 100 ms after a patch', async () => {
      const trial = async (name: string) => {
        await t.client.send('POST', path, schema(name, 'missing', 'nobody'));
        const patch = { spec: { priorityLevelConfiguration: { name: 'elsewhere' } } };
        const write = () => t.client.send('PATCH', `${path}/${name}`, patch, type('merge-patch+json'));
        return delayOf(name, 'elsewhere', write);
      };
      expect(await quickest(trial, 'dangling-patch')).toBeLessThan(100);
    });
  });

  it('lists FlowSchemas in matching order', async () => {
    const { body } = await t.client.get(`${root}/flowschemas`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const rows: [number, string][] = body.rows.map(({ cells }: Any) => [cells[2], cells[0]]);
    expect(rows[0]).toEqual([1, 'exempt']);
    expect(rows).toEqual(rows.toSorted(([a, x], [b, y]) => a - b || (x < y ? -1 : 1)));
    const listed = (await t.client.get(`${root}/flowschemas`)).body.items.map((item: Any) => item.metadata.name);
    expect(listed).toEqual(listed.toSorted());
  });

  it('restores mandatory objects, and suggested ones with autoupdate', async () => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const start = async () => {
      const server = await startServer({ dataDir, securePort: 0 });
      return { server, client: clientFor(server.kubeconfig) };
    };
    const path = (name: string) => `${root}/prioritylevelconfigurations/${name}`;
    const patch = { 'content-type': 'application/merge-patch+json' };
    const first = await start();
    const shares = (nominalConcurrencyShares: number) => ({ spec: { limited: { nominalConcurrencyShares } } });
    const untouched = (await first.client.get(path('system'))).body.metadata.resourceVersion;
    await first.client.send('PATCH', path('global-default'), shares(21), patch);
    const own = { metadata: { annotations: { 'apf.kubernetes.io/autoupdate-spec': 'false' } }, ...shares(99) };
    await first.client.send('PATCH', path('workload-low'), own, patch);
    const past: Any = level('past', { queues: 1, handSize: 1, queueLengthLimit: 1 });
    past.metadata.annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };
    expect((await first.client.send('POST', `${root}/prioritylevelconfigurations`, past)).status).toBe(201);
    await first.client.send('DELETE', path('catch-all'));
    first.client.close();
    await first.server.close();
    const second = await start();
    const sharesOf = async (name: string) => (await second.client.get(path(name))).body.spec?.limited.nominalConcurrencyShares;
    expect(await sharesOf('global-default')).toBe(20);
    expect(await sharesOf('workload-low')).toBe(99);
    expect(await sharesOf('catch-all')).toBe(5);
    expect((await second.client.get(path('past'))).status).toBe(404);
    expect((await second.client.get(path('system'))).body.metadata.resourceVersion).toBe(untouched);
    second.client.close();
    await second.server.close();
  });
});

describe('a full priority level', () => {
  it('queues its requests, rejects them in the end, and does not affect other levels', async () => {
    const path = await newNamespace(t.client);
    await t.client.send(
      'POST',
      `${root}/prioritylevelconfigurations`,
      level('narrow', { queues: 1, handSize: 1, queueLengthLimit: 1 }),
    );
    await t.client.send('POST', `${root}/flowschemas`, schema('narrow', 'narrow', 'slow'));
    const uid = await uidOf('flowschemas', 'narrow');
    // Without shares the level has no seats.
    const waiting = as(t.client, 'slow', 'GET', path).reply;
    const refused = async () => {
      const { status, headers, text } = await as(t.client, 'slow', 'GET', path).reply;
      return {
        status,
        retry: headers['retry-after'],
        type: headers['content-type'],
        uid: headers['x-kubernetes-pf-flowschema-uid'],
        text,
      };
    };
    await expect
      .poll(async () => (await t.client.get('/debug/api_priority_and_fairness/dump_priority_levels')).text)
      .toMatch(/narrow,\s+1,/);
    expect(await refused()).toEqual({
      status: 429,
      retry: '1',
      type: 'text/plain; charset=utf-8',
      uid,
      text: 'Too many requests, please try again later.\n',
    });
    expect((await as(t.client, 'jane', 'GET', path).reply).status).toBe(200);
    expect((await as(t.client, 'slow', 'GET', '/healthz').reply).status).toBe(200);
    const requests = (await t.client.get('/debug/api_priority_and_fairness/dump_requests?includeRequestDetails=1')).text;
    expect(requests).toMatch(/narrow,\s+narrow,\s+0,\s+0,.*slow,\s+list,/);
    // A quarter of the request timeout.
    expect((await waiting).status).toBe(429);
    const metrics = (await t.client.get('/metrics')).text;
    expect(metrics).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="narrow",priority_level="narrow",reason="queue-full"}',
    );
    expect(metrics).toContain(
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="narrow",priority_level="narrow",reason="time-out"} 1',
    );
    expect(metrics).toContain('apiserver_flowcontrol_current_inqueue_requests{flow_schema="narrow",priority_level="narrow"} 0');
    await t.client.send('DELETE', `${root}/flowschemas/narrow`);
    await expect.poll(async () => (await as(t.client, 'slow', 'GET', path).reply).status).toBe(200);
  });
});

describe('seats', () => {
  const seatsInUse = async (name: string) => {
    const { text } = await t.client.get('/metrics');
    const series = `apiserver_flowcontrol_current_executing_seats{flow_schema="${name}",priority_level="${name}"} `;
    return Number(text.split(series)[1]?.split('\n')[0] ?? 0);
  };

  it('are released by a watch after its initial events', async () => {
    const path = await newNamespace(t.client);
    const before = (await t.client.get('/metrics')).text;
    expect(before).toContain('apiserver_flowcontrol_current_limit_seats{priority_level="global-default"}');
    const { sent } = as(t.client, 'jane', 'GET', `${path}?watch=1`);
    await new Promise((resolve) => sent.once('response', resolve));
    await expect.poll(() => seatsInUse('global-default')).toBe(0);
    sent.destroy();
  });

  it('are released while a body is received, and acquired again after that', async () => {
    const path = await newNamespace(t.client);
    const body = JSON.stringify(configMap('slowly'));
    const { sent, reply } = as(t.client, 'jane', 'POST', path, body.slice(0, 10));
    reply.catch(() => {});
    await expect.poll(() => seatsInUse('global-default')).toBe(1);
    await expect.poll(() => seatsInUse('global-default'), { timeout: 5000 }).toBe(0);
    sent.end(body.slice(10));
    expect((await reply).status).toBe(201);
    expect(await seatsInUse('global-default')).toBe(0);
  });
});
