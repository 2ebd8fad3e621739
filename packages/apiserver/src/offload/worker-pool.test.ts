import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Cancelled, Unavailable } from '@tsukube/storage';
import type { Exchange } from '@tsukube/transport';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { silentLogger } from '../logger.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

/** Executes the command in the body of a request. */
const script = `
const { parentPort, workerData } = require('node:worker_threads');
const text = (bytes) => Buffer.from(bytes).toString();
const done = (job, body) => parentPort.postMessage({ is: 'done', job, result: {
  outcome: { answer: { status: 200, type: 'text/plain', body: Buffer.from(body) } },
  warnings: ['warned'], annotations: [], noted: [], admissions: [],
} });
parentPort.on('message', (message) => {
  if (message.is !== 'job') return;
  const [action, argument] = text(message.work.request.body).split(' ');
  if (action === 'echo') done(message.job, argument);
  if (action === 'hang') while (true);
  if (action === 'exit') process.exit();
  if (action === 'fill') for (const all = []; ; ) all.push(new Array(100000).fill({}).map(() => ({})));
  if (action === 'wait') setTimeout(() => parentPort.postMessage({ is: 'ready' }), 1);
  if (action === 'write') {
    workerData.ports.calls.postMessage({ id: 1, name: 'write', args: [message.job] });
    workerData.ports.calls.once('message', () => process.exit());
  }
});
parentPort.postMessage({ is: 'ready' });
`;

const folder = mkdtempSync(join(tmpdir(), 'tsukube-pool-'));
const file = pathToFileURL(join(folder, 'worker.cjs'));
beforeAll(() => {
  writeFileSync(file, script);
  return () => rmSync(folder, { recursive: true });
});

interface TestCalls {
  write(job: number): void;
}

let pool: WorkerPool<TestCalls> | undefined;
afterEach(() => pool?.close());

function open(options: Partial<WorkerPoolOptions<TestCalls>> = {}): WorkerPool<TestCalls> {
  pool = new WorkerPool<TestCalls>({
    file: () => file,
    data: {},
    functions: (jobs) => ({ write: (job) => jobs.onWrite(job) }),
    recordAdmission: () => {},
    logger: silentLogger,
    maxWorkers: 1,
    maxQueued: 100,
    maxHeapMb: 32,
    idleMs: 60_000,
    stuckMs: 50,
    ...options,
  });
  return pool;
}

function requestOf(user = 'u'): IncomingRequest {
  const exchange = { method: 'POST', url: '/', protocol: 'HTTP/2.0', eachHeader: () => {}, connection: { remoteAddress: '' } };
  const request = new IncomingRequest(exchange as unknown as Exchange, 0);
  request.user = { name: user, groups: [] };
  return request;
}

async function run(action: string, request = requestOf()): Promise<string> {
  const { body } = await (pool as WorkerPool<TestCalls>).run(request, Buffer.from(action));
  return Buffer.from(body as Uint8Array).toString();
}

describe('WorkerPool', () => {
  it('returns the answer of a worker with its warnings', async () => {
    open();
    const request = requestOf();
    expect(await run('echo a', request)).toBe('a');
    expect(request.warnings).toEqual(['299 - "warned"']);
  });

  it('terminates a worker stuck in a cancelled request, and serves the next', async () => {
    open();
    const hanging = requestOf();
    const hung = run('hang', hanging);
    const next = run('echo b');
    await new Promise((resolve) => setTimeout(resolve, 300));
    hanging.cancel();
    await expect(hung).rejects.toThrow(Cancelled);
    expect(await next).toBe('b');
  });

  it('removes a cancelled request from the queue', async () => {
    open();
    const hanging = requestOf();
    const hung = run('hang', hanging);
    const waiting = requestOf();
    const queued = run('echo c', waiting);
    waiting.cancel();
    await expect(queued).rejects.toThrow(Cancelled);
    hanging.cancel();
    await expect(hung).rejects.toThrow(Cancelled);
  });

  it('answers a request that exceeds the heap limit with 413, and serves the next', { timeout: 60_000 }, async () => {
    open();
    await expect(run('fill')).rejects.toMatchObject({ code: 413 });
    expect(await run('echo d')).toBe('d');
  });

  it('retries a request whose worker ended, unless it may have written', async () => {
    open();
    await expect(run('write')).rejects.toThrow(Unavailable);
    const waiting = run('wait');
    const ended = run('exit');
    await expect(ended).rejects.toMatchObject({ code: 500 });
    void waiting.catch(() => {});
    expect(await run('echo e')).toBe('e');
  });

  it('rejects requests when the queue is full', async () => {
    open({ maxQueued: 1 });
    const hanging = requestOf();
    const hung = run('hang', hanging);
    await expect(run('echo f')).rejects.toMatchObject({ code: 429 });
    hanging.cancel();
    await expect(hung).rejects.toThrow(Cancelled);
  });

  it('is fair between users', async () => {
    open();
    const order: string[] = [];
    const asked = ['a 1', 'a 2', 'a 3', 'b 1'].map(async (name) => {
      order.push(await run(`echo ${name.replace(' ', '')}`, requestOf(name[0])));
    });
    await Promise.all(asked);
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('ends all threads on close', async () => {
    const closing = open();
    const hung = run('hang');
    await new Promise((resolve) => setTimeout(resolve, 200));
    const failed = expect(hung).rejects.toThrow(Unavailable);
    await closing.close();
    await failed;
    await expect(run('echo g')).rejects.toThrow('the server is stopping');
  });
});
