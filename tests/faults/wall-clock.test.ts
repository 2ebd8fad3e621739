import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cachedTokenAuthenticator } from '../../packages/apiserver/src/authentication/token-cache.ts';
import { DecisionCache } from '../../packages/apiserver/src/authorization/access-review.ts';
import { remainingMs } from '../../packages/apiserver/src/flowcontrol/seat-wait.ts';
import { TokenBucket } from '../../packages/transport/src/http/token-bucket.ts';

const sixHours = 6 * 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** Moves the wall clock. Timers and performance.now() are not affected. */
function jump(ms: number): void {
  vi.setSystemTime(Date.now() + ms);
}

describe('a wall clock that is set back', () => {
  it('does not stop the refill of a token bucket', async () => {
    const bucket = new TokenBucket(1, 1000);
    expect(bucket.take()).toBe(true);
    jump(-sixHours);
    await pause(20);
    expect(bucket.take()).toBe(true);
  });

  it('does not extend the cache lifetime of a token', async () => {
    const authenticate = vi.fn(() => ({ user: { name: 'a', groups: [] } }));
    const cached = cachedTokenAuthenticator(authenticate as never, { successTtlMs: 10, failureTtlMs: 0, keepsRefusals: false });
    cached('t', []);
    jump(-sixHours);
    await pause(30);
    cached('t', []);
    expect(authenticate).toHaveBeenCalledTimes(2);
  });

  it('does not extend the cache lifetime of an authorization decision', async () => {
    const verdicts = new DecisionCache(10, 10);
    verdicts.add('k', { decision: 'allow' } as never);
    jump(-sixHours);
    await pause(30);
    expect(verdicts.get('k')).toBeUndefined();
  });

  it('does not extend the deadline of a request', () => {
    const received = Date.now();
    jump(-sixHours);
    expect(remainingMs(received, 1000)).toBe(1000);
  });
});

describe('a wall clock that is set forward', () => {
  it('does not let a token bucket exceed its burst', () => {
    const bucket = new TokenBucket(2, 1);
    jump(sixHours);
    expect([bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, false]);
  });

  it('does not make the remaining time of a request negative', () => {
    const received = Date.now();
    jump(sixHours);
    expect(remainingMs(received, 1000)).toBe(0);
  });
});
