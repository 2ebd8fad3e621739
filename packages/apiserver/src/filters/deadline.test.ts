import type { Exchange } from '@tsukube/transport';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IncomingRequest } from '../http/api-request.ts';
import { deadline } from './deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When a request that is never answered ends, and with which message; undefined if it does not. */
async function endOf(verb: string, query = ''): Promise<[number, string] | undefined> {
  const request = new IncomingRequest({ method: '', url: `/x${query}` } as Exchange, 0);
  request.info = { ...request.info, isResource: true, verb };
  let end: [number, string] | undefined;
  const began = Date.now();
  const answer = deadline(60_000)(request, () => new Promise(() => {})) as Promise<never>;
  answer.catch((error: Error) => {
    end = [Date.now() - began, error.message];
  });
  await vi.advanceTimersByTimeAsync(100_000);
  expect(request.isOver).toBe(end !== undefined);
  return end;
}

describe('the deadline', () => {
  const exceeded = 'Timeout: request did not complete within the allotted timeout';

  it.each(['create', 'update', 'patch', 'delete'])('of %s is 34 seconds', async (verb) => {
    const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded';
    expect(await endOf(verb)).toEqual([34_000, message]);
    expect(await endOf(verb, '?timeout=10s')).toEqual([10_000, exceeded]);
  });

  it.each(['get', 'list', 'deletecollection'])('of %s is the request timeout', async (verb) => {
    expect(await endOf(verb)).toEqual([60_000, exceeded]);
    expect(await endOf(verb, '?timeout=1m10s')).toEqual([60_000, exceeded]);
    expect(await endOf(verb, '?timeout=1500ms')).toEqual([1_500, exceeded]);
  });

  it.each(['watch', 'proxy'])('does not exist for %s', async (verb) => {
    expect(await endOf(verb, '?timeout=1s')).toBeUndefined();
  });
});
