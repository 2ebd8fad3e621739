import { expect, it } from 'vitest';
import { EventLoopBudget } from '../http/event-loop-budget.ts';
import { type Http2Dispatchable, Http2DispatchQueue } from './dispatch-queue.ts';

const iteration = () => new Promise((resolve) => setImmediate(resolve));
const smallHeader = 100;

function setUp() {
  let now = 0;
  const budget = new EventLoopBudget(() => now);
  const queue = new Http2DispatchQueue(budget);
  const log: string[] = [];
  /** A connection with `requests` requests of 1 ms each. */
  const connection = (name: string, requests: number, isUrgent = false): Http2Dispatchable => {
    let left = requests;
    const self: Http2Dispatchable = {
      isUrgent,
      dispatch(most) {
        for (let dispatched = 0; left > 0 && dispatched < most && queue.take(smallHeader, isUrgent); dispatched++) {
          left--;
          now++;
          budget.at = now;
          log.push(name);
        }
        if (left > 0) queue.wait(self);
      },
    };
    return self;
  };
  return { queue, log, connection };
}

it('dispatches at once within the time slice', () => {
  const { queue, log, connection } = setUp();
  for (const name of ['a', 'b']) queue.arrived(connection(name, 1));
  expect(log).toEqual(['a', 'b']);
});

it('serves connections round robin when the time slice is used up', async () => {
  const { queue, log, connection } = setUp();
  queue.arrived(connection('flood', 100));
  const first = log.length;
  expect(first).toBeLessThan(10);
  queue.arrived(connection('other', 1));
  expect(log).not.toContain('other');
  for (let i = 0; i < 4; i++) await iteration();
  expect(log).toContain('other');
  expect(log.length).toBeLessThan(40);
});

it('keeps the order of waiting connections', async () => {
  const { queue, log, connection } = setUp();
  queue.arrived(connection('flood', 6));
  queue.arrived(connection('b', 1));
  queue.arrived(connection('c', 1));
  for (let i = 0; i < 4; i++) await iteration();
  expect(log.filter((name) => name !== 'flood')).toEqual(['b', 'c']);
});

it('dispatches urgent connections first under load', async () => {
  const { queue, log, connection } = setUp();
  for (let i = 0; i < 50; i++) queue.arrived(connection('flood', 100));
  await iteration();
  const before = log.length;
  queue.arrived(connection('urgent', 1, true));
  await iteration();
  expect(log.indexOf('urgent') - before).toBeLessThanOrEqual(1);
});

it('dispatches everything eventually', async () => {
  const { queue, log, connection } = setUp();
  for (let i = 0; i < 20; i++) queue.arrived(connection(`s${i}`, 10));
  for (let i = 0; i < 100; i++) await iteration();
  expect(log).toHaveLength(200);
});
