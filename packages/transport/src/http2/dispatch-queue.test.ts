import { expect, it } from 'vitest';
import { EventLoopBudget } from '../http/event-loop-budget.ts';
import { type Http2Dispatchable, Http2DispatchQueue } from './dispatch-queue.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const smallHeader = 100;

function setUp() {
  let now = 0;
  const budget = new EventLoopBudget(() => now);
  const turns = new Http2DispatchQueue(budget);
  const log: string[] = [];
  /** A connection with so many requests of 1 ms each. */
  const session = (name: string, requests: number, isUrgent = false): Http2Dispatchable => {
    let left = requests;
    const self: Http2Dispatchable = {
      isUrgent,
      dispatch(most) {
        for (let handed = 0; left > 0 && handed < most && turns.take(smallHeader, isUrgent); handed++) {
          left--;
          now++;
          budget.at = now;
          log.push(name);
        }
        if (left > 0) turns.wait(self);
      },
    };
    return self;
  };
  return { turns, log, session };
}

it('hands over at once while there is time', () => {
  const { turns, log, session } = setUp();
  for (const name of ['a', 'b']) turns.arrived(session(name, 1));
  expect(log).toEqual(['a', 'b']);
});

it('serves connections round robin when a turn has no time left', async () => {
  const { turns, log, session } = setUp();
  turns.arrived(session('flood', 100));
  const first = log.length;
  expect(first).toBeLessThan(10);
  turns.arrived(session('other', 1));
  expect(log).not.toContain('other');
  for (let i = 0; i < 4; i++) await turn();
  expect(log).toContain('other');
  expect(log.length).toBeLessThan(40);
});

it('does not let those who came later overtake', async () => {
  const { turns, log, session } = setUp();
  turns.arrived(session('flood', 6));
  turns.arrived(session('b', 1));
  turns.arrived(session('c', 1));
  for (let i = 0; i < 4; i++) await turn();
  expect(log.filter((name) => name !== 'flood')).toEqual(['b', 'c']);
});

it('lets urgent requests pass a crowd', async () => {
  const { turns, log, session } = setUp();
  for (let i = 0; i < 50; i++) turns.arrived(session('flood', 100));
  await turn();
  const before = log.length;
  turns.arrived(session('urgent', 1, true));
  await turn();
  expect(log.indexOf('urgent') - before).toBeLessThanOrEqual(1);
});

it('hands everything over in the end', async () => {
  const { turns, log, session } = setUp();
  for (let i = 0; i < 20; i++) turns.arrived(session(`s${i}`, 10));
  for (let i = 0; i < 100; i++) await turn();
  expect(log).toHaveLength(200);
});
