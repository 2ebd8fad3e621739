import type { ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { openSession } from '../hostile/http2.ts';
import type { Client } from '../support/client.ts';

export interface Answered {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer | undefined;
}

/** Sends a request. Fails on a timeout: no request of the fuzz test may take that long. */
export type Ask = (question: Question) => Promise<Answered>;

const patienceMs = 30_000;

/** One HTTP/2 connection for concurrent requests, reopened when it is closed. */
export function http2Client(client: Client): { ask: Ask; close(): void } {
  let session: ClientHttp2Session | undefined;
  const ask: Ask = ({ method, path, headers, body }) => {
    if (!session || session.closed || session.destroyed) session = openSession(client);
    const open = session;
    return new Promise((resolve, reject) => {
      const stream = open.request({ ...headers, ':method': method, ':path': path }, { endStream: body === undefined });
      const timer = setTimeout(() => stream.destroy(new Error('no answer in time')), patienceMs);
      const chunks: Buffer[] = [];
      let status: number | undefined;
      let type = '';
      let encoding: string | undefined;
      stream.on('response', (response) => {
        status = response[':status'];
        type = String(response['content-type'] ?? '');
        encoding = response['content-encoding'];
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('close', () => {
        clearTimeout(timer);
        if (status === undefined) reject(new Error(`closed without an answer (${stream.rstCode})`));
        else resolve({ status, type, body: decoded(Buffer.concat(chunks), encoding) });
      });
      if (body !== undefined) stream.end(body);
    });
  };
  return { ask, close: () => session?.destroy() };
}

export function http1Client({ url, tls }: Client, connections: number): { ask: Ask; close(): void } {
  const agent = new Agent({ ...tls, keepAlive: true, maxSockets: connections });
  const ask: Ask = ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const all = { ...headers, ...(body !== undefined && { 'content-length': body.length }) };
      const sent = request(url + path, { method, agent, headers: all, timeout: patienceMs }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { 'content-type': type = '', 'content-encoding': encoding } = response.headers;
          resolve({ status: response.statusCode as number, type, body: decoded(Buffer.concat(chunks), encoding) });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
      sent.on('error', reject);
      sent.end(body);
    });
  return { ask, close: () => agent.destroy() };
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  return encoding === 'gzip' ? gunzipSync(body) : body;
}
