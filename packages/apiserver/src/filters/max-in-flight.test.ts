import { StatusError } from '@tsukube/machinery';
import type { Answer, Exchange } from '@tsukube/transport';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { IncomingRequest, type User } from '../http/api-request.ts';
import { inFlightMetrics } from '../metrics/in-flight-metrics.ts';
import { Registry } from '../metrics/prometheus/registry.ts';
import { chain, withRequestInfo } from './filter.ts';
import { maxInFlight } from './max-in-flight.ts';

const someone: User = { name: 'someone', groups: ['system:authenticated'] };
const admin: User = { name: 'admin', groups: ['system:masters'] };
const read = '/api/v1/configmaps';
const write = '/api/v1/namespaces/a/configmaps';

interface Running {
  readonly url: string;
  end(): Promise<void>;
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));
const ok: Answer = { kind: 'bytes', status: 200, type: 'text/plain', body: '' };

/** A server whose requests stay pending until the test ends them. `quick` paths are answered synchronously. */
function setUp({ maxReadOnly = 1, maxMutating = 1, requestTimeoutMs = 60_000 } = {}) {
  const running: Running[] = [];
  const refused: string[] = [];
  const registry = new Registry();
  const handle = chain(
    [
      withRequestInfo(),
      maxInFlight({
        maxReadOnly,
        maxMutating,
        requestTimeoutMs,
        metrics: inFlightMetrics(registry),
        onRefused: ({ path }) => refused.push(path),
      }),
    ],
    (request) => {
      if (request.path.includes('quick')) return ok;
      return new Promise((resolve) => {
        const end = () => {
          resolve(ok);
          return turnOfLoop().then(turnOfLoop) as Promise<void>;
        };
        running.push({ url: request.exchange.url, end });
      });
    },
  );
  const ask = (method: string, url: string, user = someone, exchange: Partial<Exchange> = {}) => {
    const request = new IncomingRequest(
      Object.assign(exchange, { method, url, header: () => undefined, connection: {} }) as Exchange,
      0,
    );
    request.user = user;
    return handle(request);
  };
  const get = (url = read, user?: User) => ask('GET', url, user);
  const urls = () => running.map(({ url }) => url);
  return { ask, get, running, urls, refused, registry };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('requests in flight', () => {
  it('wait for a slot in FIFO order', async () => {
    const { get, running, urls } = setUp();
    const answers = [1, 2, 3].map((n) => get(`${read}?n=${n}`));
    expect(urls()).toEqual([`${read}?n=1`]);
    await running[0]?.end();
    expect(urls()).toEqual([`${read}?n=1`, `${read}?n=2`]);
    await running[1]?.end();
    await running[2]?.end();
    expect(await Promise.all(answers)).toEqual([ok, ok, ok]);
    get();
    expect(running).toHaveLength(4);
  });

  it('take no slot if they are answered synchronously', async () => {
    const { get } = setUp();
    expect(get('/api/v1/quick')).toBe(ok);
    expect(get('/api/v1/quick')).toBe(ok);
  });

  it('that waited and are answered synchronously do not starve the event loop', async () => {
    const { get, running } = setUp();
    const first = get();
    let done = 0;
    for (let i = 0; i < 10; i++) void (get('/api/v1/quick') as Promise<Answer>).then(() => done++);
    void running[0]?.end();
    await first;
    await turnOfLoop();
    expect(done).toBeLessThan(10);
    for (let turn = 0; turn < 20; turn++) await turnOfLoop();
    expect(done).toBe(10);
  });

  it('are limited separately for reads and writes', () => {
    const { ask, get, running } = setUp();
    get();
    ask('POST', write);
    expect(running).toHaveLength(2);
    ask('POST', write);
    ask('DELETE', `${write}/x`);
    expect(running).toHaveLength(2);
  });

  it.each([
    ['GET', '/api/v1/configmaps?watch=1'],
    ['GET', '/api/v1/watch/configmaps'],
    ['POST', '/api/v1/namespaces/a/pods/x/exec'],
    ['GET', '/api/v1/namespaces/a/pods/x/log'],
    ['GET', '/readyz'],
    ['GET', '/livez/ping'],
  ])('do not include %s %s', (method, url) => {
    const { ask, get, running } = setUp();
    get();
    ask('POST', write);
    ask(method, url);
    expect(running.at(-1)?.url).toBe(url);
  });

  it('are unlimited if the limit is 0', () => {
    const { get, running } = setUp({ maxReadOnly: 0 });
    for (let i = 0; i < 1000; i++) get();
    expect(running).toHaveLength(1000);
  });

  it('are counted by gauges, and so are waiting ones', async () => {
    const { get, ask, registry } = setUp({ maxReadOnly: 2 });
    for (let i = 0; i < 5; i++) get();
    ask('POST', write);
    const text = await registry.scrape();
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 2\n');
    expect(text).toContain('apiserver_current_inflight_requests{request_kind="mutating"} 1\n');
    expect(text).toContain('apiserver_current_inqueue_requests{request_kind="readOnly"} 3\n');
  });
});

describe('a full queue', () => {
  it('rejects requests, except those of system:masters', async () => {
    const { get, refused, running } = setUp();
    const waiting = Array.from({ length: 21 }, () => get());
    expect(caught(() => get()).status).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: 'Too many requests, please try again later.',
      details: { retryAfterSeconds: 1 },
    });
    expect(refused).toEqual([read]);
    const privileged = get(read, admin);
    for (let i = 0; i < 22; i++) await running[i]?.end();
    expect(await Promise.all([...waiting, privileged])).toHaveLength(22);
  });

  function caught(act: () => unknown): StatusError {
    try {
      act();
    } catch (error) {
      if (error instanceof StatusError) return error;
    }
    throw new Error('was not refused');
  }
});

describe('a waiting request', () => {
  it('is rejected after a quarter of its timeout, except for system:masters', async () => {
    vi.useFakeTimers();
    const { get, refused, running } = setUp({ requestTimeoutMs: 1000 });
    get();
    const answer = get() as Promise<Answer>;
    const settled = expect(answer).rejects.toMatchObject({ status: { code: 429 } });
    get(read, admin);
    await vi.advanceTimersByTimeAsync(250);
    await settled;
    expect(refused).toEqual([read]);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await running[0]?.end();
    expect(running).toHaveLength(2);
  });

  it('is dropped when its client goes away', async () => {
    const { ask, get, running, refused } = setUp();
    get();
    const leaving: Partial<Exchange> = {};
    const answer = ask('GET', `${read}?gone`, someone, leaving);
    get(`${read}?next`);
    leaving.request?.cancel();
    await expect(answer).rejects.toThrow('the client closed the connection');
    await running[0]?.end();
    expect(running.map(({ url }) => url)).toEqual([read, `${read}?next`]);
    expect(refused).toEqual([]);
  });

  it('passes its slot on when it fails', async () => {
    const registry = new Registry();
    const fails = chain(
      [
        withRequestInfo(),
        maxInFlight({ maxReadOnly: 1, maxMutating: 1, requestTimeoutMs: 1000, metrics: inFlightMetrics(registry) }),
      ],
      async () => {
        throw new Error('no');
      },
    );
    const request = () => new IncomingRequest({ method: 'GET', url: read, onAbort: () => {} } as unknown as Exchange, 0);
    const results = await Promise.allSettled([fails(request()), fails(request()), fails(request())]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});
