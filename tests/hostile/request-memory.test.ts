import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor, type Reply } from '../support/client.ts';
import { launchServer, notBuilt, type ServerProcess } from '../support/server-process.ts';
import { openSession } from './http2.ts';

const configMaps = '/api/v1/namespaces/default/configmaps?dryRun=All';
const yaml = { 'content-type': 'application/yaml' };
const brackets = `x: [${'[],'.repeat(1_000_000)}]`;
const limit = { timeout: 180_000 };

describe.skipIf(notBuilt)('many large bodies at once', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-memory-'));
  let server: ServerProcess;
  let client: Client;
  let hasEnded = false;

  beforeAll(async () => {
    const args = ['--max-request-memory=64', '--request-timeout=6s'];
    server = launchServer({ dataDir, args, nodeArgs: ['--max-old-space-size=512'], quiet: true });
    void server.exit.then(() => {
      hasEnded = true;
    });
    client = clientFor(await server.ready);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  /** Peak resident memory in MiB; 0 if it is not available. */
  function peakMemory(): number {
    try {
      return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
    } catch {
      return 0;
    }
  }

  async function expectServes(): Promise<void> {
    const small = JSON.stringify({ metadata: { name: 'small' }, data: { a: 'b' } });
    expect((await client.send('POST', configMaps, small)).status).toBe(201);
    expect(hasEnded).toBe(false);
  }

  it('are refused with 429 beyond the limit, over HTTP/1.1, and do not affect other requests', limit, async () => {
    const clients = Array.from({ length: 80 }, () => clientFor(readFileSync(join(dataDir, 'admin.kubeconfig'), 'utf8')));
    const replies = await Promise.all(clients.map((each) => each.send('POST', configMaps, brackets, yaml)));
    for (const each of clients) each.close();
    expect([...new Set(replies.map(({ status }) => status))].every((status) => [400, 429, 504].includes(status))).toBe(true);
    const refused = replies.filter(({ status }) => status === 429) as [Reply, ...Reply[]];
    expect(refused.length).toBeGreaterThan(40);
    expect(refused[0].headers['retry-after']).toBe('1');
    expect(refused[0].body).toMatchObject({ kind: 'Status', code: 429, reason: 'TooManyRequests' });
    await expectServes();
    expect(peakMemory()).toBeLessThan(1200);
  });

  it.each([
    ['declared', { 'content-length': brackets.length }, 20],
    ['not declared', {}, 4],
  ])('are refused with 429 beyond the limit, over HTTP/2, with a length that is %s', limit, async (_, headers, streams) => {
    const sessions = Array.from({ length: 4 }, () => openSession(client, { maxSessionMemory: 1000 }));
    const asked = sessions.flatMap((session) => Array.from({ length: streams }, () => post(session, headers)));
    const statuses = await Promise.all(asked);
    for (const session of sessions) session.close();
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(streams === 20 ? 40 : 0);
    await expectServes();
    expect(peakMemory()).toBeLessThan(1200);
  });

  it('of disconnected clients are not processed', limit, async () => {
    const session = openSession(client, { maxSessionMemory: 1000 });
    const asked = Array.from({ length: 9 }, () => post(session));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    session.destroy();
    await Promise.all(asked);
    const lines = Array.from({ length: 5000 }, (_, i) => `  k${i}: v\n`).join('');
    const began = performance.now();
    const reply = await client.send('POST', configMaps, `metadata: {name: x}\ndata:\n${lines}`, yaml);
    expect(reply.status).toBe(201);
    // Each of the nine takes seconds and would delay this one.
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});

/** Returns the status; 0 if there was no response. */
function post(session: ClientHttp2Session, headers: object = {}): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request({ ':method': 'POST', ':path': configMaps, ...yaml, ...headers });
    let status = 0;
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('error', () => {});
    stream.on('close', () => resolve(status));
    stream.resume().end(brackets);
  });
}
