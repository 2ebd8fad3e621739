import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ClientHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientFor } from '../support/client.ts';
import { type Random, seeded } from '../support/random.ts';
import { configMap } from '../support/server.ts';
import { notBuilt, type ServerProcess, spawnServer } from '../support/server-process.ts';
import { bytesOf, Http1Line } from './fuzz/http1-line.ts';
import { mutateBytes, mutateSample } from './fuzz/mutate.ts';
import { type Answer, complaintAbout } from './fuzz/oracle.ts';
import { playground, protobufSample, type Sample, sampleObject, samples } from './fuzz/samples.ts';
import { type Http2Reply, openSession, send } from './http2.ts';
import { flags, frame, frameTypes, openRaw, preface, requestHeaders } from './raw-http2.ts';

const seconds = Number(process.env.FUZZ_SECONDS ?? 10);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const maxRequests = seconds * 500;
const kept = '/api/v1/namespaces/untouched';
const mebibyte = 1 << 20;

let folder: string;
let server: ServerProcess;
let client: Client;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-fuzz-'));
  server = spawnServer(join(folder, 'data'), '--request-timeout=10s');
  client = clientFor(await server.ready);
});

afterAll(async () => {
  client.close();
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Creates objects in a namespace that no sample uses. */
async function writeWhatIsKept(): Promise<void> {
  for (const name of ['untouched', playground]) await made('/api/v1/namespaces', { metadata: { name } });
  await made(`/api/v1/namespaces/${playground}/configmaps`, sampleObject);
  for (let i = 0; i < 50; i++) {
    await made(`${kept}/configmaps`, configMap(`c${i}`, { n: String(i) }, { text: 'é\n'.repeat(i) }));
    await made(`${kept}/secrets`, { metadata: { name: `s${i}` }, data: { a: Buffer.from(`${i}`).toString('base64') } });
  }
}

async function made(path: string, body: unknown): Promise<void> {
  const { status, text } = await client.send('POST', path, body);
  if (status !== 201) throw new Error(text);
}

async function whatIsKept(): Promise<string[]> {
  const names = Array.from({ length: 50 }, (_, i) => [`configmaps/c${i}`, `secrets/s${i}`]).flat();
  return Promise.all(names.map(async (name) => (await client.get(`${kept}/${name}`)).text));
}

async function sampleInProtobuf(): Promise<Buffer> {
  const session = openSession(client);
  const accept = 'application/vnd.kubernetes.protobuf';
  const stream = session.request({ ':path': `/api/v1/namespaces/${playground}/configmaps/sample`, accept });
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  session.close();
  return Buffer.concat(chunks);
}

async function residentMebibytes(): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / mebibyte;
}

interface Tally {
  requests: number;
  readonly answers: Map<number, number>;
  readonly complaints: string[];
}

function note(tally: Tally, asked: string, answer: Answer | undefined): void {
  tally.requests++;
  tally.answers.set(answer?.status ?? 0, (tally.answers.get(answer?.status ?? 0) ?? 0) + 1);
  const complaint = answer && complaintAbout(answer);
  if (complaint) tally.complaints.push(`${complaint}: ${asked} → ${answer.status} ${answer.body.slice(0, 500)}`);
}

/** Sometimes long enough for a request that waits three seconds for a future resourceVersion. */
const timeoutOf = (random: Random): number => (random(30) === 0 ? 4000 : 300);
const corpus: Sample[] = [...samples];
const pick = (random: Random): Sample => corpus[random(corpus.length)] as Sample;
const spoiled = (random: Random): Sample => mutateSample(pick(random), pick(random), random);

/** Sends mutated requests in one way until the time is over. */
type Attacker = (random: Random, tally: Tally, isOver: () => boolean) => Promise<void>;

/** Mutates parts or raw bytes of requests over HTTP/1.1. */
const overHttp1: Attacker = async (random, tally, isOver) => {
  const line = new Http1Line(client);
  while (!isOver()) {
    const bytes = random(3) === 0 ? mutateBytes(bytesOf(pick(random)), random, bytesOf(pick(random))) : bytesOf(spoiled(random));
    if (bytes.length > 0)
      note(tally, JSON.stringify(bytes.toString('latin1').slice(0, 3000)), await line.exchange(bytes, timeoutOf(random)));
  }
  line.close();
};

/** Mutates parts of requests over HTTP/2, as far as the client permits. */
const overHttp2: Attacker = async (random, tally, isOver) => {
  let session: ClientHttp2Session | undefined;
  while (!isOver()) {
    if (!session || session.closed || session.destroyed) session = openSession(client);
    const { method, path, headers, body } = spoiled(random);
    const { connection: _, upgrade: __, ...fields } = headers;
    const payload = body.length > 0 ? body : undefined;
    const reply = await send(
      session,
      { ...fields, ':method': method, ':path': path },
      payload,
      AbortSignal.timeout(timeoutOf(random)),
    );
    note(tally, JSON.stringify({ method, path, headers, body: body.toString('latin1') }), answerIn(reply));
  }
  session?.destroy();
};

function answerIn(reply: Http2Reply): Answer | undefined {
  if (!('body' in reply)) return undefined;
  const { status, headers, body } = reply;
  const comparable = Number(headers['content-length']) === Buffer.byteLength(body) && headers['content-encoding'] === undefined;
  return { status, type: headers['content-type'] ?? '', body, comparable };
}

/** Corrupts HTTP/2 frames. Responses cannot be attributed to requests, so only the survival of the server counts. */
const overFrames: Attacker = async (random, tally, isOver) => {
  while (!isOver()) {
    const { method, path, headers, body } = pick(random);
    const frames = Buffer.concat([
      preface,
      frame(frameTypes.headers, flags.endHeaders, 1, requestHeaders(method, path, headers)),
      frame(frameTypes.data, flags.endStream, 1, body),
    ]);
    const raw = await openRaw(client, mutateBytes(frames, random, frames));
    await new Promise((resolve) => setTimeout(resolve, 20));
    raw.socket.destroy();
    note(tally, '', undefined);
  }
};

/** Recreates objects that a mutated request has deleted. */
const tendPlayground: Attacker = async (_, __, isOver) => {
  while (!isOver()) {
    await client.send('POST', '/api/v1/namespaces', { metadata: { name: playground } });
    await client.send('POST', `/api/v1/namespaces/${playground}/configmaps`, sampleObject);
    await client.send('PUT', `/api/v1/namespaces/${playground}/finalize`, { metadata: { name: playground }, spec: {} });
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};

const attackers: readonly Attacker[] = [...Array(24).fill(overHttp1), ...Array(24).fill(overHttp2), overFrames, tendPlayground];

describe.skipIf(notBuilt)('mutated requests', () => {
  it('are refused without damage', { timeout: seconds * 1000 + 60_000 }, async () => {
    await writeWhatIsKept();
    corpus.push(protobufSample(await sampleInProtobuf()));
    const before = await whatIsKept();
    const tally: Tally = { requests: 0, answers: new Map(), complaints: [] };
    const end = performance.now() + seconds * 1000;
    const isOver = () => performance.now() > end || tally.requests >= maxRequests;
    await Promise.all(attackers.map((attack, i) => attack(seeded(seed * 1000 + i), tally, isOver)));
    expect(tally.complaints).toEqual([]);
    expect(await whatIsKept()).toEqual(before);
    expect((await client.get('/readyz')).text).toBe('ok');
    const resident = await residentMebibytes();
    expect(resident).toBeLessThan(600);
    const log = readFileSync(join(folder, 'data', 'logs', 'tsukube.log'), 'utf8');
    expect(log).not.toMatch(/uncaught exception|a request failed/);
    report(tally, resident);
  });
});

function report({ requests, answers }: Tally, resident: number): void {
  const by = [...answers].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'none'}×${count}`);
  console.log(`fuzz: ${requests} requests, answers ${by.join(' ')}, ${Math.round(resident)} MiB resident, seed ${seed}`);
}
