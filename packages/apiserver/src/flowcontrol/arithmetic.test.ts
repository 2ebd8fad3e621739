import { describe, expect, it } from 'vitest';
import { requestInfo } from '../http/request-info.ts';
import { allocate } from './concurrency-allocation.ts';
import { RetryAfter } from './priority-level.ts';
import { SeatDemand } from './seat-demand.ts';
import { WatchTracker } from './work-estimator.ts';

const claim = (lowerBound: number, upperBound: number, target: number) => ({ lowerBound, upperBound, target });

describe('allocation', () => {
  it('gives every claim the same fraction of its target', () => {
    expect(allocate(30, [claim(0, 100, 10), claim(0, 100, 20), claim(0, 100, 30)])).toEqual({
      parts: [5, 10, 15],
      fairFraction: 0.5,
    });
  });
  it.each([
    [100, [claim(50, 200, 60), claim(5, 200, 50), claim(10, 20, 500)]],
    [77, [claim(13, 613, 13), claim(0, 5, 0), claim(24, 300, 30), claim(1, 100, 90)]],
  ])('keeps to the bounds and to the sum %i', (sum, claims) => {
    const { parts } = allocate(sum, claims) as { parts: readonly number[] };
    expect(parts.reduce((a, b) => a + b, 0)).toBeCloseTo(sum, 6);
    for (const [i, part] of parts.entries()) {
      expect(part).toBeGreaterThanOrEqual(claims[i]?.lowerBound as number);
      expect(part).toBeLessThanOrEqual(claims[i]?.upperBound as number);
    }
  });
  it('is undefined if the bounds do not allow the sum', () => {
    expect(allocate(10, [claim(20, 30, 20)])).toBeUndefined();
    expect(allocate(10, [claim(0, 5, 3)])).toBeUndefined();
  });
});

describe('SeatDemand', () => {
  it('has average, standard deviation and high watermark', () => {
    const demand = new SeatDemand(0);
    demand.set(10, 5);
    demand.settle(10);
    expect(demand).toMatchObject({ highWatermark: 10, average: 5, deviation: 5, smoothed: 10 });
    demand.set(0, 10);
    demand.settle(20);
    expect(demand.highWatermark).toBe(10);
    expect(demand.smoothed).toBeCloseTo(9.77);
    demand.settle(30);
    expect(demand.highWatermark).toBe(0);
  });
});

describe('RetryAfter', () => {
  it('doubles while many requests are rejected, and shrinks otherwise', () => {
    const retry = new RetryAfter();
    let now = 1_000_000;
    for (let second = 0; second < 60; second++, now += 1000) for (let i = 0; i < 200; i++) retry.refused(now);
    expect(retry.seconds).toBe(32);
    for (let i = 0; i < 40; i++, now += 40_000) retry.refused(now);
    expect(retry.seconds).toBe(1);
  });
});

describe('WatchTracker', () => {
  const info = (method: string, path: string) => requestInfo(method, path, () => new URLSearchParams('watch=1'));
  it('counts watches of the resource, the namespace and the object', () => {
    const watches = new WatchTracker();
    const forget = [
      watches.register(info('GET', '/api/v1/pods'), null),
      watches.register(info('GET', '/api/v1/namespaces/a/pods'), null),
      watches.register(info('GET', '/api/v1/namespaces/b/pods'), null),
      watches.register(info('GET', '/api/v1/pods'), 'spec.nodeName=n'),
    ];
    expect(watches.interestedIn(info('PUT', '/api/v1/namespaces/a/pods/x'))).toBe(2);
    expect(watches.interestedIn(info('GET', '/api/v1/namespaces/a/pods/x'))).toBe(0);
    for (const each of forget) each();
    expect(watches.interestedIn(info('PUT', '/api/v1/namespaces/a/pods/x'))).toBe(0);
  });
});
