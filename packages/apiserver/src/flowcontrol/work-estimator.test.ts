import type { Exchange } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import type { Flow } from './flow.ts';
import { WatchTracker, workEstimator } from './work-estimator.ts';

const flow = (maxSeats: number) => ({ level: { maxSeats }, series: { watchCount() {} } }) as unknown as Flow;

function estimate(method: string, url: string, { maxSeats = 0, count = 10_000, averageBytes = 1000, watches = 0 } = {}) {
  const counts = new WatchTracker();
  for (let i = 0; i < watches; i++)
    counts.register(
      requestInfo('GET', '/api/v1/pods', () => new URLSearchParams('watch=1')),
      null,
    );
  const request = new IncomingRequest({ method, url } as unknown as Exchange, 0);
  request.info = requestInfo(method, request.path, () => request.query);
  const statsOf = (_group: string, resource: string) => (resource === 'pods' ? { count, averageBytes } : undefined);
  return workEstimator({ statsOf, watches: counts })(request, flow(maxSeats));
}

describe('estimated seats of', () => {
  const pods = '/api/v1/pods';
  it.each<[string, string, object, number]>([
    ['one object', `${pods}/x`, {}, 1],
    ['a list from the watch cache, at most a megabyte at a time', pods, {}, 10],
    ['a small list', pods, { count: 10 }, 1],
    ['a list without statistics', '/api/v1/nodes', {}, 1],
    ['a page', `${pods}?limit=250`, {}, 3],
    ['a continued page, read from the store', `${pods}?limit=5000&continue=x`, {}, 50],
    ['a continued page with a label selector', `${pods}?limit=10&continue=x&labelSelector=a`, {}, 50],
    ['resourceVersionMatch=Exact', `${pods}?resourceVersion=5&resourceVersionMatch=Exact`, {}, 100],
    ['resourceVersionMatch=NotOlderThan', `${pods}?resourceVersion=5&resourceVersionMatch=NotOlderThan`, {}, 10],
    ['more seats than the maximum of the level', pods, { maxSeats: 4 }, 4],
    ['a field selector for metadata.name', `${pods}?fieldSelector=metadata.name%3Dx`, {}, 1],
    ['an invalid limit', `${pods}?limit=x`, {}, 100],
    ['a watch from the beginning', `${pods}?watch=1`, {}, 10],
    ['a watch from a version', `${pods}?watch=1&resourceVersion=5`, {}, 1],
    ['a streaming list', `${pods}?watch=1&resourceVersion=5&sendInitialEvents=true`, {}, 10],
  ])('%s', (_title, url, more, initialSeats) =>
    expect(estimate('GET', url, more)).toEqual({ initialSeats, finalSeats: 0, additionalLatency: 0 }),
  );

  it('a write, without and with many watchers', () => {
    expect(estimate('PUT', '/api/v1/namespaces/a/pods/x')).toEqual({ initialSeats: 1, finalSeats: 0, additionalLatency: 0 });
    expect(estimate('PUT', '/api/v1/namespaces/a/pods/x', { watches: 50 })).toEqual({
      initialSeats: 1,
      finalSeats: 5,
      additionalLatency: 0.005,
    });
    expect(estimate('PUT', '/api/v1/namespaces/a/pods/x', { watches: 200 })).toEqual({
      initialSeats: 1,
      finalSeats: 10,
      additionalLatency: 0.01,
    });
  });
});
