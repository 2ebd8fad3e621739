import { expect, it } from 'vitest';
import { EventLoopBudget } from '../http/event-loop-budget.ts';
import { Http1DispatchQueue } from './dispatch-queue.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  let now = 0;
  const budget = new EventLoopBudget(() => now);
  const turns = new Http1DispatchQueue(budget);
  const log: string[] = [];
  const waiting = (name: string, { isUrgent = false, ms = 0 } = {}) => ({
    isUrgent,
    take() {
      log.push(`take ${name}`);
      now += ms;
      budget.at = now;
    },
    send: () => void log.push(`send ${name}`),
  });
  return { turns, log, waiting };
}

it('has all answered before anything is sent', async () => {
  const { turns, log, waiting } = setUp();
  turns.add(waiting('a'));
  turns.add(waiting('b'));
  expect(log).toEqual([]);
  await turn();
  expect(log).toEqual(['take a', 'take b', 'send a', 'send b']);
});

it('leaves to the next turn what comes during one', async () => {
  const { turns, log, waiting } = setUp();
  turns.add({ ...waiting('first'), send: () => turns.add(waiting('late')) });
  await turn();
  expect(log).toEqual(['take first']);
  await turn();
  expect(log).toEqual(['take first', 'take late', 'send late']);
});

it('stops when the turn has lasted too long, and goes on in the next', async () => {
  const { turns, log, waiting } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) turns.add(waiting(name, { ms: 1 }));
  await turn();
  expect(log).toEqual(['take a', 'take b', 'send a', 'send b']);
  turns.add(waiting('e'));
  await turn();
  expect(log.slice(4)).toEqual(['take c', 'take d', 'send c', 'send d']);
  await turn();
  expect(log.slice(8)).toEqual(['take e', 'send e']);
});

it('has what is urgent answered first, although others wait since long', async () => {
  const { turns, log, waiting } = setUp();
  for (let i = 0; i < 10; i++) turns.add(waiting('long', { ms: 5 }));
  await turn();
  log.length = 0;
  turns.add(waiting('urgent', { isUrgent: true, ms: 1 }));
  await turn();
  expect(log).toEqual(['take urgent', 'take long', 'send urgent', 'send long']);
});
