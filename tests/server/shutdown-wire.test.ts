import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { type RunningServer, type StartOptions, startServer } from '@tsukube/server';
import { afterEach, describe, expect, it } from 'vitest';
import { block, type Frame, frame, framesIn, hello, requestLine } from '../../packages/transport/src/http2/testing/wire.ts';
import { type Client, clientFor } from '../support/client.ts';
import { configMap, newNamespace } from '../support/server.ts';

let server: RunningServer;
let client: Client;

async function start(options: StartOptions): Promise<string> {
  server = await startServer({ storage: 'memory', securePort: 0, ...options });
  client = clientFor(server.kubeconfig);
  return newNamespace(client);
}

afterEach(async () => {
  client.close();
  await server.close();
});

/** A connection whose bytes are recorded, until the server has ended it. */
class Recorded {
  readonly socket: TLSSocket;
  readonly errors: string[] = [];
  /** Whether the server closed it with a FIN, not with a reset. */
  isEnded = false;
  #received = Buffer.alloc(0);

  constructor(protocol: 'h2' | 'http/1.1') {
    const { hostname, port } = new URL(client.url);
    this.socket = connect({
      host: hostname,
      port: Number(port),
      ...client.tls,
      ALPNProtocols: [protocol],
      servername: 'localhost',
    });
    this.socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
    });
    this.socket.on('end', () => {
      this.isEnded = true;
    });
    this.socket.on('error', ({ message }) => this.errors.push(message));
  }

  get text(): string {
    return this.#received.toString('latin1');
  }

  frames(): Frame[] {
    return framesIn(this.#received);
  }

  async closed(): Promise<void> {
    if (!this.socket.closed) await once(this.socket, 'close');
  }
}

function watch1(path: string): Recorded {
  const recorded = new Recorded('http/1.1');
  recorded.socket.write(`GET ${path}?watch=1 HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return recorded;
}

const frameType = { data: 0, headers: 1, reset: 3, goAway: 7 };
const [endStream, endHeaders] = [1, 4];

function get2(path: string): Recorded {
  const recorded = new Recorded('h2');
  const fields = requestLine.map(([name, value]) => [name, name === ':path' ? path : value] as const);
  recorded.socket.write(Buffer.concat([hello, frame(frameType.headers, endHeaders | endStream, 1, block(...fields))]));
  return recorded;
}

/** The status line, or the HEADERS of an answer, have arrived. */
async function answered(recorded: Recorded, isHttp2: boolean): Promise<void> {
  const hasBegun = () => (isHttp2 ? recorded.frames().some(({ type }) => type === frameType.headers) : recorded.text !== '');
  await expect.poll(hasBegun, { timeout: 10_000, interval: 5 }).toBe(true);
}

const flags = [
  ['closing the port', {}],
  ['sending Retry-After', { shutdownSendRetryAfter: true }],
] as const;

describe.each(flags)('watches at a shutdown, %s', (_, options) => {
  it('end with the last chunk and a FIN over HTTP/1.1', async () => {
    const watch = watch1(await start(options));
    await answered(watch, false);
    await server.close();
    await watch.closed();
    expect(watch.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(watch.text).toMatch(/\r\n0\r\n\r\n$/);
    expect(watch).toMatchObject({ isEnded: true, errors: [] });
  });

  it('end with GOAWAY, END_STREAM and a FIN over HTTP/2', async () => {
    const watch = get2(`${await start(options)}?watch=1`);
    await answered(watch, true);
    await server.close();
    await watch.closed();
    const frames = watch.frames();
    expect(frames.filter(({ type }) => type === frameType.reset)).toEqual([]);
    const goAways = frames.filter(({ type }) => type === frameType.goAway);
    expect(goAways.map(({ payload }) => [payload.readUInt32BE(0), payload.readUInt32BE(4)])).toEqual([[1, 0]]);
    const ends = frames.filter(({ stream, flags }) => stream === 1 && (flags & endStream) !== 0);
    expect(ends.map(({ type }) => type)).toEqual([frameType.data]);
    expect(watch).toMatchObject({ isEnded: true, errors: [] });
  });
});

describe('requests at a shutdown', () => {
  it('in flight are read to their end and answered, the connection ends after the answer', async () => {
    const path = await start({});
    const body = JSON.stringify(configMap('late'));
    const request = new Recorded('http/1.1');
    const head = ['Host: localhost', 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n');
    request.socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 10)}`);
    // The header has been read when a later request has been answered.
    await client.get('/version');
    const closing = server.close();
    await expect.poll(() => isOpen(), { interval: 5 }).toBe(false);
    request.socket.write(body.slice(10));
    await closing;
    await request.closed();
    expect(request.text).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(request.text.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(request).toMatchObject({ isEnded: true, errors: [] });
  });

  it('that are new get 429, Retry-After and the end of the connection with --shutdown-send-retry-after', async () => {
    const path = await start({ shutdownSendRetryAfter: true, shutdownWatchTerminationGracePeriod: 1_000 });
    // The second one ends later: until then the server answers.
    const watches = [watch1(path), watch1(path)];
    await Promise.all(watches.map((watch) => answered(watch, false)));
    const closing = server.close();
    await expect.poll(async () => (await client.get(path)).status, { interval: 5 }).toBe(429);
    const refused = new Recorded('http/1.1');
    refused.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await refused.closed();
    expect(refused.text).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(refused.text.toLowerCase()).toContain('\r\nretry-after: 5\r\n');
    expect(refused.text.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(refused).toMatchObject({ isEnded: true, errors: [] });
    const stream = get2(path);
    await stream.closed();
    const types = stream.frames().map(({ type }) => type);
    expect(types).toContain(frameType.goAway);
    expect(types).not.toContain(frameType.reset);
    expect(stream).toMatchObject({ isEnded: true, errors: [] });
    await closing;
  });

  it('find the port open until the delay is over, and closed while watches go on', async () => {
    const path = await start({ shutdownDelayDuration: 300, shutdownWatchTerminationGracePeriod: 600 });
    const watches = [watch1(path), watch1(path)];
    await Promise.all(watches.map((watch) => answered(watch, false)));
    const closing = server.close();
    const readyz = await client.get('/readyz?verbose');
    expect([readyz.status, readyz.text]).toEqual([500, expect.stringContaining('[-]shutdown failed: reason withheld')]);
    expect(await isOpen()).toBe(true);
    await expect.poll(() => isOpen(), { interval: 5 }).toBe(false);
    expect(watches.some(({ isEnded }) => !isEnded)).toBe(true);
    await closing;
    await Promise.all(watches.map((watch) => watch.closed()));
    for (const watch of watches) expect(watch.text).toMatch(/\r\n0\r\n\r\n$/);
  });
});

/** Whether the server accepts connections. */
async function isOpen(): Promise<boolean> {
  const socket = connectTcp(Number(new URL(client.url).port), '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
