import type { Exchange } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { type LogFields, silentLogger } from '../logger.ts';
import { LoopMonitor, type Stall, tickMs } from './loop-monitor.ts';
import { stallLog } from './stall-log.ts';

function requestFor(url: string, headers: Record<string, string> = {}): IncomingRequest {
  return new IncomingRequest({ method: 'PUT', url, header: (name: string) => headers[name] } as Exchange, Date.now());
}

function setUp() {
  let now = 0;
  const stalls: Stall[] = [];
  const monitor = new LoopMonitor({ onStall: (stall) => stalls.push(stall), now: () => now, cpu: () => now / 2 });
  const pass = (ms: number) => {
    now += ms;
  };
  return {
    monitor,
    stalls,
    pass,
    /** Synchronous work of a request that is answered at once. */
    serve(request: IncomingRequest, ms: number) {
      monitor.begin(request, now);
      pass(ms);
      monitor.end(now);
    },
    at: () => now,
  };
}

describe('a stall of the event loop', () => {
  it('is attributed to the request that took most of the time', () => {
    const t = setUp();
    const slow = requestFor('/slow');
    for (const url of ['/a', '/b']) t.serve(requestFor(url), 3);
    t.serve(slow, 180);
    for (let i = 0; i < 100; i++) t.serve(requestFor(`/${i}`), 0.1);
    t.monitor.tick();
    expect(t.stalls).toMatchObject([{ ms: 180, cause: slow, inFlight: [], sections: 103 }]);
    expect(t.stalls[0]?.cpuMs).toBeCloseTo(98);
  });

  it('is detected even if the timer was hardly late', () => {
    const t = setUp();
    t.serve(requestFor('/slow'), 101);
    t.monitor.tick();
    expect(t.stalls.map(({ ms }) => ms)).toEqual([101]);
  });

  it('is attributed to a request that resumes after its body arrived', () => {
    const t = setUp();
    const write = requestFor('/write');
    t.monitor.begin(write, t.at());
    t.monitor.suspend(write, t.at());
    t.pass(20);
    write.onResume?.(write);
    t.pass(400);
    t.serve(requestFor('/other'), 2);
    t.monitor.tick();
    expect(t.stalls).toMatchObject([{ cause: write }]);
    expect(t.stalls[0]?.ms).toBeGreaterThan(350);
  });

  it('lists the requests in flight if the cause is unknown', () => {
    const t = setUp();
    const [settled, waiting] = [requestFor('/settled'), requestFor('/waiting')];
    for (const request of [settled, waiting]) {
      t.monitor.begin(request, t.at());
      t.monitor.suspend(request, t.at());
    }
    t.pass(500);
    t.monitor.settle(settled, 500);
    t.monitor.tick();
    expect(t.stalls).toEqual([{ ms: 450, cause: undefined, inFlight: [settled, waiting], sections: 2, cpuMs: 250 }]);
  });

  it('is not caused by many short requests', () => {
    const t = setUp();
    for (let turn = 0; turn < 30; turn++) {
      for (let i = 0; i < 10; i++) t.serve(requestFor('/short'), tickMs / 10);
      t.monitor.tick();
    }
    expect(t.stalls).toEqual([]);
  });

  it('does not include the wait of a suspended request', () => {
    const t = setUp();
    const write = requestFor('/write');
    t.monitor.begin(write, t.at());
    t.monitor.suspend(write, t.at());
    for (let i = 0; i < 100; i++) {
      t.pass(tickMs);
      t.monitor.tick();
    }
    t.monitor.settle(write, 100 * tickMs);
    expect(t.stalls).toEqual([]);
  });
});

describe('stallLog', () => {
  it('describes the request, at a limited rate', () => {
    const lines: LogFields[] = [];
    let now = 0;
    const log = stallLog({ ...silentLogger, warn: (_message, fields) => lines.push(fields ?? {}) }, () => now);
    const cause = requestFor(`/api/v1/${'x'.repeat(1000)}`, { 'content-length': '2000' });
    for (let i = 0; i < 13; i++) log({ ms: 150.4, cause, inFlight: [], sections: 1, cpuMs: 149 });
    now = 5000;
    log({ ms: 120, cause: undefined, inFlight: [cause], sections: 7, cpuMs: 118 });
    expect(lines).toHaveLength(11);
    expect(lines[0]).toMatchObject({ durationMs: 150, method: 'PUT', user: 'system:anonymous', bytes: 2000 });
    expect(String(lines[0]?.path)).toHaveLength(257);
    expect(lines[10]).toMatchObject({ durationMs: 120, cpuMs: 118, requests: 7, suppressed: 3 });
    expect(lines[10]?.inFlight).toEqual([expect.stringMatching(/^PUT \/api\/v1\/x+… by system:anonymous, 2000 bytes$/)]);
  });

  it('omits delays in which the process was not scheduled', () => {
    const lines: LogFields[] = [];
    const log = stallLog({ ...silentLogger, warn: (_message, fields) => lines.push(fields ?? {}) });
    log({ ms: 300, cause: undefined, inFlight: [], sections: 7, cpuMs: 20 });
    expect(lines).toEqual([]);
  });
});
