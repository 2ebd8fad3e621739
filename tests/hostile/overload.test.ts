import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { type RunningServer, startServer } from '@tsukube/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { configMap, newNamespace } from '../support/server.ts';
import { holdOf } from './event-loop.ts';
import { flags, frame, frameTypes, preface, requestHeaders } from './raw-http2.ts';

const connections = 10;
const streams = 100;
const objects = 2000;
/** Far below the time of all requests together, and far above a few time slices. */
const maxTurnMs = 120;

const headBytes = 9;
const initialWindowSize = 4;
const window = Buffer.alloc(4);
window.writeUInt32BE((1 << 30) - 1);
/** Settings and window updates of a client with unlimited windows. */
const wideWindows = Buffer.concat([
  frame(frameTypes.settings, flags.none, 0, Buffer.concat([Buffer.of(0, initialWindowSize), window])),
  frame(frameTypes.windowUpdate, flags.none, 0, window),
]);

const folder = mkdtempSync(join(tmpdir(), 'tsukube-overload-'));
let server: RunningServer;
let client: Client;
/** The path of a list whose selector matches no object. */
let expensive: string;

beforeAll(async () => {
  const tokenAuthFile = join(folder, 'tokens.csv');
  writeFileSync(tokenAuthFile, 'crowd-token,crowd,1\nmaster-token,master,2,"system:masters"\n');
  server = await startServer({ storage: 'memory', securePort: 0, tokenAuthFile, authorizationMode: ['AlwaysAllow'] });
  client = clientFor(server.kubeconfig);
  const maps = await newNamespace(client);
  const seed = (i: number) => client.send('POST', maps, configMap(`cm-${i}`, { app: 'a' }));
  for (let i = 0; i < objects; i += 50) await Promise.all(Array.from({ length: 50 }, (_, at) => seed(i + at)));
  const terms = Array.from({ length: 100 }, (_, i) => `app!=b${i}`);
  expensive = `${maps}?labelSelector=${encodeURIComponent([...terms, 'app=c'].join(','))}`;
});

afterAll(async () => {
  client.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Sends requests as raw frames and counts the HEADERS frames of responses. */
class Flooder {
  readonly #socket: TLSSocket;
  readonly #token: string;
  readonly #onAnswer: () => void;
  #stream = 1;
  readonly #head = Buffer.alloc(headBytes);
  #filled = 0;
  #left = 0;

  private constructor(socket: TLSSocket, token: string, onAnswer: () => void) {
    this.#socket = socket;
    this.#token = token;
    this.#onAnswer = onAnswer;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
    socket.write(Buffer.concat([preface, wideWindows]));
  }

  static open(token: string, onAnswer: () => void): Promise<Flooder> {
    const { hostname, port } = new URL(client.url);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ca: client.tls.ca, ALPNProtocols: ['h2'] });
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(new Flooder(socket, token, onAnswer)));
    });
  }

  ask(path: string, count: number): void {
    const head = requestHeaders('GET', path, { authorization: `Bearer ${this.#token}` });
    const frames = Array.from({ length: count }, () => {
      const stream = this.#stream;
      this.#stream += 2;
      return frame(frameTypes.headers, flags.endHeaders | flags.endStream, stream, head);
    });
    this.#socket.write(Buffer.concat(frames));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Reads frame types and skips the payloads. */
  #read(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const skipped = Math.min(this.#left, chunk.length - at);
      this.#left -= skipped;
      at += skipped;
      for (; at < chunk.length && this.#left === 0 && this.#filled < headBytes; at++)
        this.#head[this.#filled++] = chunk[at] as number;
      if (this.#filled === headBytes) this.#frame();
    }
  }

  #frame(): void {
    this.#filled = 0;
    this.#left = this.#head.readUIntBE(0, 3);
    if (this.#head[3] === frameTypes.headers) this.#onAnswer();
  }
}

/** Opens connections and waits for a first response on each; sends all requests, calls `act` immediately after, and waits for all responses. */
async function flood(token: string, act: (answered: () => number) => Promise<void> = async () => {}): Promise<void> {
  let answered = 0;
  const onAnswer = () => void answered++;
  const flooders = await Promise.all(Array.from({ length: connections }, () => Flooder.open(token, onAnswer)));
  for (const flooder of flooders) flooder.ask('/version', 1);
  await expect.poll(() => answered).toBe(connections);
  answered = 0;
  for (const flooder of flooders) flooder.ask(expensive, streams);
  const acting = act(() => answered);
  await expect.poll(() => answered, { timeout: 20_000, interval: 20 }).toBe(connections * streams);
  await acting;
  for (const flooder of flooders) flooder.close();
}

describe('a thousand expensive requests at once', { timeout: 60_000 }, () => {
  it.each(['crowd-token', 'master-token'])('do not block the event loop: %s', async (token) => {
    await flood(token);
    const { hold } = await holdOf(() => flood(token));
    expect(hold.total).toBeGreaterThan(2 * maxTurnMs);
    expect(hold.longest).toBeLessThan(maxTurnMs);
  });

  it.each(['/livez', '/readyz', '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/none'])(
    'do not delay %s',
    async (path) => {
      expect((await client.get('/version')).status).toBe(200);
      let before = -1;
      await flood('crowd-token', async (answered) => {
        await client.get(path);
        before = answered();
      });
      expect(before).toBeLessThan((connections * streams) / 10);
    },
  );
});
