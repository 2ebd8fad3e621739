import { expect, it } from 'vitest';
import { EventLoopBudget } from '../http/event-loop-budget.ts';
import { Http1DispatchQueue } from './dispatch-queue.ts';

const iteration = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  let now = 0;
  const budget = new EventLoopBudget(() => now);
  const queue = new Http1DispatchQueue(budget);
  const log: string[] = [];
  const connection = (name: string, { isUrgent = false, ms = 0 } = {}) => ({
    isUrgent,
    dispatch() {
      log.push(`dispatch ${name}`);
      now += ms;
      budget.at = now;
    },
    flush: () => void log.push(`flush ${name}`),
  });
  return { queue, log, connection };
}

it('dispatches all requests before it flushes any answer', async () => {
  const { queue, log, connection } = setUp();
  queue.add(connection('a'));
  queue.add(connection('b'));
  expect(log).toEqual([]);
  await iteration();
  expect(log).toEqual(['dispatch a', 'dispatch b', 'flush a', 'flush b']);
});

it('leaves connections that are added during an iteration to the next', async () => {
  const { queue, log, connection } = setUp();
  queue.add({ ...connection('first'), flush: () => queue.add(connection('late')) });
  await iteration();
  expect(log).toEqual(['dispatch first']);
  await iteration();
  expect(log).toEqual(['dispatch first', 'dispatch late', 'flush late']);
});

it('stops at the end of the time slice and continues in the next iteration', async () => {
  const { queue, log, connection } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) queue.add(connection(name, { ms: 1 }));
  await iteration();
  expect(log).toEqual(['dispatch a', 'dispatch b', 'flush a', 'flush b']);
  queue.add(connection('e'));
  await iteration();
  expect(log.slice(4)).toEqual(['dispatch c', 'dispatch d', 'flush c', 'flush d']);
  await iteration();
  expect(log.slice(8)).toEqual(['dispatch e', 'flush e']);
});

it('dispatches urgent connections before those that wait', async () => {
  const { queue, log, connection } = setUp();
  for (let i = 0; i < 10; i++) queue.add(connection('long', { ms: 5 }));
  await iteration();
  log.length = 0;
  queue.add(connection('urgent', { isUrgent: true, ms: 1 }));
  await iteration();
  expect(log).toEqual(['dispatch urgent', 'dispatch long', 'flush urgent', 'flush long']);
});
