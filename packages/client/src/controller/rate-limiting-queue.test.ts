import { describe, expect, it } from 'vitest';
import { Metrics } from '../metrics/metrics.ts';
import { ManualTiming } from '../timing/manual-timing.ts';
import { RateLimitingQueue } from './rate-limiting-queue.ts';

const queueWith = (options = {}) => {
  const timing = new ManualTiming();
  return { timing, queue: new RateLimitingQueue({ timing, ...options }) };
};

describe('a rate limiting queue', () => {
  it('has a key once, in the order of the first add', async () => {
    const { queue } = queueWith();
    for (const key of ['a', 'b', 'a', 'c']) queue.add(key);
    expect([await queue.next(), await queue.next(), await queue.next()]).toEqual(['a', 'b', 'c']);
  });

  it('gives a key to one worker at a time, and again if it was added meanwhile', async () => {
    const { queue } = queueWith();
    queue.add('a');
    await queue.next();
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    expect(await queue.next()).toBe('a');
    queue.done('a');
    expect(queue.length).toBe(0);
  });

  it('delays keys; the shortest delay counts', async () => {
    const { queue, timing } = queueWith();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 80);
    await timing.advance(49);
    expect(queue.length).toBe(0);
    await timing.advance(1);
    expect(await queue.next()).toBe('a');
    queue.done('a');
    await timing.advance(100);
    expect(queue.length).toBe(0);
  });

  it('doubles the delay of a key that fails, until it is forgotten', async () => {
    const { queue, timing } = queueWith({ backoff: { initialMs: 5, maxMs: 15 } });
    const delays: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) {
      queue.addRateLimited('a');
      delays.push(timing.nextMs);
      await timing.advance(20);
      queue.done((await queue.next()) as string);
    }
    expect(delays).toEqual([5, 10, 15, 15]);
    expect(queue.failures('a')).toBe(4);
    queue.forget('a');
    queue.addRateLimited('a');
    expect(timing.nextMs).toBe(5);
  });

  it('limits all retries together', async () => {
    const { queue, timing } = queueWith({ rateLimit: { qps: 10, burst: 2 } });
    for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key);
    await timing.advance(5);
    expect(queue.length).toBe(2);
    await timing.advance(95);
    expect(queue.length).toBe(3);
    await timing.advance(100);
    expect(queue.length).toBe(4);
  });

  it('drains waiting keys after shutdown', async () => {
    const { queue, timing } = queueWith();
    const waiting = queue.next();
    queue.add('a');
    queue.add('b');
    queue.addAfter('later', 10);
    expect(await waiting).toBe('a');
    queue.shutDown();
    queue.add('c');
    let isDrained = false;
    const drained = queue.drained().then(() => {
      isDrained = true;
    });
    expect(await queue.next()).toBe('b');
    await timing.advance(20);
    expect(await queue.next()).toBeUndefined();
    queue.done('a');
    await timing.advance(0);
    expect(isDrained).toBe(false);
    queue.done('b');
    await drained;
  });

  it('ends workers that wait', async () => {
    const { queue } = queueWith();
    const workers = [queue.next(), queue.next()];
    queue.shutDownNow();
    expect(await Promise.all(workers)).toEqual([undefined, undefined]);
  });

  it('has the metrics of client-go', async () => {
    const metrics = new Metrics();
    const { queue, timing } = queueWith({ name: 'foo', metrics });
    queue.add('a');
    queue.add('b');
    await timing.advance(300);
    queue.done((await queue.next()) as string);
    queue.addRateLimited('a');
    const text = metrics.text();
    expect(text).toContain('workqueue_depth{name="foo"} 1\n');
    expect(text).toContain('workqueue_adds_total{name="foo"} 2\n');
    expect(text).toContain('workqueue_retries_total{name="foo"} 1\n');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="foo",le="0.25"} 0\n');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="foo",le="0.5"} 1\n');
    expect(text).toContain('workqueue_queue_duration_seconds_sum{name="foo"} 0.3\n');
    expect(text).toContain('# TYPE workqueue_work_duration_seconds histogram\n');
  });
});
