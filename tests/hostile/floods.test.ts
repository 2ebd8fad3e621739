import { setMaxListeners } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { configMap, newNamespace } from '../support/server.ts';
import { notBuilt, type ServerProcess, spawnServer } from '../support/server-process.ts';
import { send } from './http2.ts';

const floodMs = 3000;
const connections = 10;
const streamsPerConnection = 50;
/** Requests outside of the flood are answered within this time, even on a busy machine. */
const timeoutMs = 10_000;
const mebibyte = 1 << 20;

/** A client with its own connection and this token. */
function sessionOf(client: Client, token: string) {
  const session = connect(client.url, { ca: client.tls.ca });
  session.on('error', () => {});
  const headers = { authorization: `Bearer ${token}` };
  return {
    session,
    ask: (path: string, signal?: AbortSignal) => send(session, { ':path': path, ...headers }, undefined, signal),
  };
}

/** Sends an unauthenticated request over a new connection. */
function askAsStranger(client: Client, path: string): Promise<{ status: number }> {
  return new Promise((resolve, reject) => {
    const request = get(client.url + path, { ca: client.tls.ca, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
    });
    request.on('error', reject);
  });
}

interface Flood {
  readonly statuses: Map<number, number>;
  readonly sessions: readonly ClientHttp2Session[];
}

/** Overloads the server: every stream sends the next request as soon as it has a response. */
async function flood(client: Client, path: string, until: number): Promise<Flood> {
  const crowd = Array.from({ length: connections }, () => sessionOf(client, 'crowd-token'));
  const statuses = new Map<number, number>();
  const signal = AbortSignal.timeout(until - Date.now() + 500);
  setMaxListeners(0, signal);
  const stream = async (ask: (typeof crowd)[number]['ask']) => {
    while (Date.now() < until) {
      const { status } = await ask(path, signal);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(crowd.flatMap(({ ask }) => Array.from({ length: streamsPerConnection }, () => stream(ask))));
  return { statuses, sessions: crowd.map(({ session }) => session) };
}

/** Sends requests continuously and returns the duration of the slowest. */
async function slowest(ask: () => Promise<{ status: number }>, until: number): Promise<number> {
  let longest = 0;
  while (Date.now() < until) {
    const began = performance.now();
    expect((await ask()).status).toBe(200);
    longest = Math.max(longest, performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return longest;
}

describe.skipIf(notBuilt)('a flood of', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-flood-'));
  let server: ServerProcess;
  let client: Client;
  let path: string;

  beforeAll(async () => {
    const tokens = join(folder, 'tokens.csv');
    writeFileSync(tokens, 'crowd-token,crowd,1\nnode-token,system:node:n,2,"system:nodes"\n');
    server = spawnServer(
      join(folder, 'data'),
      `--token-auth-file=${tokens}`,
      '--max-requests-inflight=20',
      '--max-mutating-requests-inflight=10',
    );
    client = clientFor(await server.ready);
    const binding = {
      metadata: { name: 'everybody' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
    };
    await client.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding);
    path = await newNamespace(client);
    const data = { payload: 'x'.repeat(8000) };
    for (let i = 0; i < 300; i++) await client.send('POST', path, { ...configMap(`big-${i}`), data });
  }, 120_000);

  afterAll(async () => {
    client?.close();
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const residentBytes = () => {
    const place = `/proc/${server.pid}/status`;
    if (!existsSync(place)) return 0;
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(place, 'utf8'))?.[1] ?? 0) * 1024;
  };

  const levelsBusy = async () => {
    const { text } = await client.get('/debug/api_priority_and_fairness/dump_queues');
    return text.split('\n').filter((line) => /^[a-z-]+,\s+\d+,/.test(line) && !/^\S+\s+\d+,\s+0,\s+0,\s+0,/.test(line));
  };

  it.each([
    ['lists', ''],
    ['watches', '?watch=1&timeoutSeconds=1'],
    ['single objects', '/big-7'],
    ['paths that do not exist', '/none/of/these/%61'],
  ])(
    '%s does not affect others, and memory is bounded',
    async (_title, query) => {
      const before = residentBytes();
      const until = Date.now() + floodMs;
      const node = sessionOf(client, 'node-token');
      const [{ statuses, sessions }, health, system, admin] = await Promise.all([
        flood(client, path + query, until),
        slowest(() => askAsStranger(client, '/livez'), until),
        slowest(() => node.ask(`${path}/big-1`), until),
        slowest(() => client.get(`${path}/big-2`), until),
      ]);
      expect(Math.max(health, system, admin)).toBeLessThan(timeoutMs);
      for (const status of statuses.keys()) expect([200, 404, 429, 0]).toContain(status);
      for (const session of [node.session, ...sessions]) session.destroy();
      expect(residentBytes() - before).toBeLessThan(512 * mebibyte);
      await expect.poll(levelsBusy, { timeout: timeoutMs }).toEqual([]);
      const { session, ask } = sessionOf(client, 'crowd-token');
      expect((await ask(`${path}/big-3`)).status).toBe(200);
      session.destroy();
    },
    120_000,
  );

  it('lists gets 429 with Retry-After beyond the capacity', async () => {
    const until = Date.now() + floodMs;
    const { statuses, sessions } = await flood(client, path, until);
    for (const session of sessions) session.destroy();
    expect(statuses.get(429) ?? 0).toBeGreaterThan(0);
    expect(statuses.get(200) ?? 0).toBeGreaterThan(0);
    const { text } = await client.get('/metrics');
    expect(text).toMatch(
      /rejected_requests_total\{flow_schema="global-default",priority_level="global-default",reason="queue-full"\} [1-9]/,
    );
  }, 120_000);

  it('names does not create metrics for each', async () => {
    const { session, ask } = sessionOf(client, 'crowd-token');
    const series = async () => (await client.get('/metrics')).text.split('\n').filter((line) => !line.startsWith('#')).length;
    await ask('/warm/up');
    const before = await series();
    for (let i = 0; i < 300; i++) {
      await Promise.all([
        ask(`/invented-${i}`),
        ask(`/apis/invented-${i}.example/v1/things`),
        ask(`/api/v1/namespaces/invented-${i}/invented-${i}`),
        send(session, { ':method': `VERB${i}`, ':path': `${path}`, authorization: 'Bearer crowd-token' }),
        send(session, {
          ':path': '/version',
          authorization: 'Bearer crowd-token',
          'user-agent': `agent/${i}`,
          'audit-id': `${i}`,
        }),
      ]);
    }
    session.destroy();
    expect((await series()) - before).toBeLessThan(300);
  }, 120_000);

  it('large Audit-IDs is truncated', async () => {
    const { session } = sessionOf(client, 'crowd-token');
    const auditId = 'a'.repeat(30_000);
    const reply = await send(session, {
      ':path': '/version',
      authorization: 'Bearer crowd-token',
      'audit-id': auditId,
      'user-agent': 'b'.repeat(30_000),
    });
    expect(reply).toMatchObject({ status: 200 });
    expect('headers' in reply && reply.headers['audit-id']).toBe(auditId.slice(0, 1024));
    session.destroy();
  });
});
