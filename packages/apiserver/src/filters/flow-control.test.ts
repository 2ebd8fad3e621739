import { StatusError } from '@tsukube/machinery';
import type { Answer, Exchange, Sink } from '@tsukube/transport';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LevelConfig, SchemaConfig } from '../flowcontrol/flow-config.ts';
import { FlowControl } from '../flowcontrol/flow-control.ts';
import { DispatchPacer, SeatReleaser } from '../flowcontrol/loop-pacing.ts';
import { SlowUploads } from '../flowcontrol/seat-wait.ts';
import { WatchTracker, workEstimator } from '../flowcontrol/work-estimator.ts';
import { IncomingRequest } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { FlowControlMetrics } from '../metrics/flow-control-metrics.ts';
import { Registry } from '../metrics/prometheus/registry.ts';
import type { Handler } from './filter.ts';
import { flowControl } from './flow-control.ts';

const ok: Answer = { kind: 'bytes', status: 200, type: 'text/plain', body: 'ok' };
const level = (name: string, response: LevelConfig['response']): LevelConfig => ({
  name,
  uid: `${name}-uid`,
  response,
  shares: name === 'exempt' ? 0 : 1,
  lendablePercent: 0,
  borrowingLimitPercent: 0,
});
const schema = (name: string, precedence: number): SchemaConfig => ({
  name,
  uid: `${name}-schema-uid`,
  level: name,
  precedence,
  distinguisher: undefined,
  rules: [],
});

/** One seat without a queue. */
function setUp(handler: Handler) {
  const control = new FlowControl({
    serverLimit: 1,
    mandatory: {
      levels: [level('exempt', { to: 'exempt' }), level('catch-all', { to: 'reject' })],
      schemas: [schema('exempt', 1), schema('catch-all', 10_000)],
    },
    metrics: new FlowControlMetrics(new Registry(), () => performance.now() / 1000),
  });
  const gauges = { executing: { add() {} }, waiting: { add() {} } };
  const watches = new WatchTracker();
  const filter = flowControl({
    control,
    estimate: workEstimator({ statsOf: () => undefined, watches }),
    watches,
    releaser: new SeatReleaser(),
    pacer: new DispatchPacer(),
    slowUploads: new SlowUploads(60_000),
    requestTimeoutMs: 60_000,
    load: { readOnly: gauges, mutating: gauges },
  });
  const closing: (() => void)[] = [];
  const aborted: string[] = [];
  const ask = (url = '/api/v1/pods/x', method = 'GET') => {
    const exchange = {
      method,
      url,
      header: () => undefined,
      onClose: (listener: () => void) => closing.push(listener),
      abort: () => aborted.push(url),
    } as unknown as Exchange;
    const request = new IncomingRequest(exchange, Date.now());
    request.info = requestInfo(method, request.path, () => request.query);
    return { request, answer: filter(request, handler) };
  };
  const seats = () => control.levels.reduce((sum, { queues }) => sum + queues.seatsInUse, 0);
  return { ask, seats, closing, aborted };
}

afterEach(() => void vi.useRealTimers());

describe('a seat', () => {
  it('is released after an answer, an error and a rejection', async () => {
    const failing = setUp(() => {
      throw StatusError.badRequest('no');
    });
    expect(() => failing.ask()).toThrow('no');
    expect(failing.seats()).toBe(0);
    const rejecting = setUp(() => Promise.reject(StatusError.badRequest('no')));
    await expect(rejecting.ask().answer).rejects.toThrow('no');
    expect(rejecting.seats()).toBe(0);
    const answering = setUp(() => ok);
    expect(answering.ask().request.flow).toEqual({
      'x-kubernetes-pf-flowschema-uid': 'catch-all-schema-uid',
      'x-kubernetes-pf-prioritylevel-uid': 'catch-all-uid',
    });
    expect(answering.seats()).toBe(0);
  });

  it('is held while an answer is pending, and requests without a seat are rejected', async () => {
    let answer: (answer: Answer) => void = () => {};
    const { ask, seats } = setUp(
      () =>
        new Promise<Answer>((resolve) => {
          answer = resolve;
        }),
    );
    const first = ask().answer;
    expect(seats()).toBe(1);
    expect(ask().answer).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    answer(ok);
    expect(await first).toBe(ok);
    expect(seats()).toBe(0);
  });

  it('is held until a large response has been read or the deadline has passed', () => {
    vi.useFakeTimers();
    const { ask, seats, closing, aborted } = setUp(() => ({ ...ok, body: Buffer.alloc(100_000) }) as Answer);
    ask('/api/v1/pods');
    expect(seats()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(aborted).toEqual(['/api/v1/pods']);
    for (const close of closing) close();
    expect(seats()).toBe(0);
  });

  it('is released by a watch that has caught up, never starts, or is proxied', async () => {
    const sink = { onClose() {} } as unknown as Sink;
    const stream: Answer = { kind: 'stream', status: 200, type: 'application/json', start() {} };
    const { ask, seats } = setUp(() => stream);
    const { request, answer } = ask('/api/v1/pods?watch=1');
    (answer as { start(sink: Sink): void }).start(sink);
    expect(seats()).toBe(1);
    request.onCaughtUp?.();
    expect(seats()).toBe(0);
    ask('/api/v1/pods?watch=1');
    expect(seats()).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(seats()).toBe(0);
    const elsewhere = setUp(() => ({ ...ok, body: [Buffer.from('event')] }) as Answer);
    elsewhere.ask('/api/v1/pods?watch=1');
    expect(elsewhere.seats()).toBe(0);
    expect(elsewhere.closing).toEqual([]);
  });

  it('is not taken by other long-running requests', () => {
    const { ask, seats } = setUp(() => new Promise<Answer>(() => {}));
    expect(ask('/api/v1/namespaces/a/pods/x/exec', 'POST').request.flow).toBeUndefined();
    expect(seats()).toBe(0);
  });

  it('is released while a body is slow to arrive', async () => {
    vi.useFakeTimers();
    let arrive: (body: string) => void = () => {};
    const arriving = new Promise<string>((resolve) => {
      arrive = resolve;
    });
    const { ask, seats } = setUp(async (request) => {
      await request.arrival?.(arriving);
      return ok;
    });
    const { answer } = ask('/api/v1/pods', 'POST');
    expect(seats()).toBe(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(seats()).toBe(0);
    arrive('body');
    expect(await answer).toBe(ok);
    expect(seats()).toBe(0);
  });
});

describe('a long turn of the event loop', () => {
  it('holds the seats of its synchronous answers until it ends', async () => {
    let now = 0;
    const turn = new SeatReleaser(() => now);
    const finished: number[] = [];
    turn.release(() => finished.push(1));
    now = 5;
    turn.release(() => finished.push(2));
    now = 11;
    turn.release(() => finished.push(3));
    expect(finished).toEqual([1, 2]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(finished).toEqual([1, 2, 3]);
  });
});
