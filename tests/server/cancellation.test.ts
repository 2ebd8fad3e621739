import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { etcdMissing, type RunningEtcd, startEtcd } from '../support/etcd.ts';
import { configMap, newNamespace } from '../support/server.ts';

const rounds = 30;

/** Sends a request, waits, and cancels it. Resolves when the cancellation has been sent. */
type SendAndCancel = (method: string, path: string, body: string, wait: () => Promise<unknown>) => Promise<void>;

interface Trial {
  readonly client: Client;
  readonly overHttp1: SendAndCancel;
  readonly overHttp2: SendAndCancel;
  /** Reads over the HTTP/2 connection of the cancelled streams. */
  readonly read: (path: string) => Promise<string>;
}

describe.each([
  ['LMDB', undefined],
  ['etcd', etcdMissing],
])('a cancelled write, on %s', (storage, missing) => {
  let etcd: RunningEtcd | undefined;
  let server: RunningServer;
  let session: ClientHttp2Session;
  let trial: Trial;
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-cancel-'));

  beforeAll(async () => {
    if (missing) return;
    if (storage === 'etcd') etcd = await startEtcd();
    server = await startServer({ dataDir, securePort: 0, ...(etcd && { etcdServers: [etcd.endpoint] }) });
    const client = clientFor(server.kubeconfig);
    session = connect(client.url, client.tls);
    session.on('error', () => {});
    trial = { client, overHttp1: http1(client), overHttp2: http2(session), read: (path) => readOver(session, path) };
  });

  afterAll(async () => {
    if (missing) return;
    session.destroy();
    trial.client.close();
    await server.close();
    await etcd?.stop();
    rmSync(dataDir, { recursive: true });
  });

  const verbs = ['POST', 'PUT', 'PATCH', 'DELETE'];
  const cases = (['overHttp1', 'overHttp2'] as const).flatMap((transport) => verbs.map((verb) => [verb, transport] as const));

  it.skipIf(missing).each(cases)('%s %s is not made after a later read', async (verb, transport) => {
    const path = await newNamespace(trial.client);
    const reads: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const object = `${path}/c${round}`;
      if (verb !== 'POST') await trial.client.send('POST', path, configMap(`c${round}`));
      const target = verb === 'POST' ? path : object;
      await trial[transport](verb, target, bodyOf(verb, `c${round}`), waits[round % waits.length] as () => Promise<unknown>);
      reads.push(await trial.read(object));
    }
    // All earlier writes are committed when this one is acknowledged.
    await trial.client.send('POST', path, configMap('last'));
    await pause(200);
    const later: string[] = [];
    for (let round = 0; round < rounds; round++) later.push(await trial.read(`${path}/c${round}`));
    expect(later).toEqual(reads);
  });
});

const waits = [async () => {}, nextTurn, () => nextTurn().then(() => nextTurn()), () => pause(1), () => pause(2)];

function bodyOf(verb: string, name: string): string {
  if (verb === 'DELETE') return '';
  return JSON.stringify(verb === 'PATCH' ? { data: { written: 'yes' } } : configMap(name, {}, { written: 'yes' }));
}

function contentType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

function http1(client: Client): SendAndCancel {
  return async (method, path, body, wait) => {
    const { hostname, port, host } = new URL(client.url);
    const socket = connectTls({ host: hostname, port: Number(port), ...client.tls });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType(method)}\r\nContent-Length: ${body.length}`;
    socket.write(`${head}\r\n\r\n${body}`);
    await wait();
    socket.destroy();
    await once(socket, 'close');
  };
}

function http2(session: ClientHttp2Session): SendAndCancel {
  return async (method, path, body, wait) => {
    const stream = session.request({ ':method': method, ':path': path, 'content-type': contentType(method) });
    stream.on('error', () => {});
    stream.end(body);
    await wait();
    stream.close(8);
  };
}

async function readOver(session: ClientHttp2Session, path: string): Promise<string> {
  const stream = session.request({ ':path': path });
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) text += chunk;
  return text;
}
