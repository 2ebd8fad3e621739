import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Any, Client } from '../support/client.ts';

/** A connection to one process of the server. Requests that fail because the process has ended fail with WireBroken. */
export interface Wire {
  send(method: string, path: string, body?: unknown, type?: string): Promise<Sent>;
  /** Calls back with every complete event until the watch ends. */
  watch(path: string, onEvent: (event: Any) => void): Promise<void>;
  close(): void;
}

export interface Sent {
  readonly status: number;
  readonly body: Any;
}

export class WireBroken extends Error {
  override readonly name = 'WireBroken';
}

export class WatchRefused extends Error {
  override readonly name = 'WatchRefused';
  readonly status: number;
  constructor(status: number, body: string) {
    super(`the watch was answered with ${status}: ${body}`);
    this.status = status;
  }
}

/** HTTP/1.1 with a keep-alive connection per concurrent request. */
export function http1Wire({ url, tls }: Client): Wire {
  const agent = new Agent({ ...tls, keepAlive: true });
  let isClosed = false;
  const open = (method: string, path: string, body: string, type: string) =>
    new Promise<Answer>((resolve, reject) => {
      // A destroyed agent would open new connections.
      if (isClosed) return reject(new WireBroken('the connection is closed'));
      const headers = body === '' ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) };
      const sent = request(url + path, { method, agent, headers });
      sent.on('response', (response) => resolve(answer(response.statusCode, response.headers, response)));
      sent.on('error', (cause) => reject(new WireBroken('no answer', { cause })));
      // A request that an agent assigns a connection which is being closed may end without an error.
      sent.on('close', () => reject(new WireBroken('no answer')));
      sent.end(body);
    });
  const close = () => {
    isClosed = true;
    agent.destroy();
  };
  return wire(open, close);
}

/** One HTTP/2 connection for everything. */
export function http2Wire({ url, tls }: Client): Wire {
  const session: ClientHttp2Session = connect(url, tls);
  session.on('error', () => {});
  // Node may leave streams open if the peer dies in the middle of an answer.
  session.on('connect', (_, socket) => socket.on('close', () => session.destroy()));
  const open = (method: string, path: string, body: string, type: string) =>
    new Promise<Answer>((resolve, reject) => {
      if (session.destroyed || session.closed) return reject(new WireBroken('the connection is closed'));
      const stream: ClientHttp2Stream = session.request(
        { ':method': method, ':path': path, 'content-type': type },
        { endStream: body === '' },
      );
      stream.on('response', (headers) => resolve(answer(headers[':status'], headers, stream)));
      stream.on('error', (cause) => reject(new WireBroken('no answer', { cause })));
      stream.on('close', () => reject(new WireBroken('no answer')));
      if (body !== '') stream.end(body);
    });
  // A stream without Content-Length that the end of its connection cuts off ends without an error.
  const isBroken = async () => {
    for (let i = 0; i < 50 && !session.closed && !session.destroyed; i++) await pause(20);
    return session.closed || session.destroyed;
  };
  return wire(open, () => session.destroy(), isBroken);
}

interface Answer {
  readonly status: number;
  /** The Content-Length, if there is one. */
  readonly length: number | undefined;
  readonly stream: Readable;
}

function answer(status: number | undefined, headers: Record<string, unknown>, stream: Readable): Answer {
  const length = headers['content-length'];
  return { status: status as number, length: length === undefined ? undefined : Number(length), stream };
}

type Open = (method: string, path: string, body: string, type: string) => Promise<Answer>;

/** `isBroken` resolves to whether the connection is closed, soon after an answer that was incomplete. */
function wire(open: Open, close: () => void, isBroken: () => Promise<boolean> = async () => false): Wire {
  return {
    async send(method, path, body, type = 'application/json') {
      const answered = await open(method, path, body === undefined ? '' : JSON.stringify(body), type);
      const text = await whole(answered);
      try {
        return { status: answered.status, body: JSON.parse(text) };
      } catch (error) {
        throw (await isBroken()) ? new WireBroken('half an answer', { cause: error }) : error;
      }
    },
    async watch(path, onEvent) {
      const answered = await open('GET', path, '', 'application/json');
      if (answered.status !== 200) throw new WatchRefused(answered.status, await whole(answered));
      await lines(answered.stream, (line) => onEvent(JSON.parse(line)));
    },
    close,
  };
}

/** An HTTP/2 stream ends without an error when its connection breaks, so the length is checked. */
function whole({ stream, length }: Answer): Promise<string> {
  return new Promise((resolve, reject) => {
    const broken = (cause?: unknown) => reject(new WireBroken('half an answer', { cause }));
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      if (length === undefined || length === body.length) resolve(body.toString('utf8'));
      else broken();
    });
    stream.on('error', broken);
    stream.on('close', () => broken());
  });
}

function lines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() as string;
      try {
        for (const part of parts) onLine(part);
      } catch (error) {
        reject(error);
      }
    });
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
  });
}
