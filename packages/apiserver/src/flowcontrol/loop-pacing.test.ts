import { expect, it } from 'vitest';
import { DispatchPacer } from './loop-pacing.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp() {
  let now = 0;
  const pacer = new DispatchPacer(() => now);
  const begun: string[] = [];
  /** A request whose synchronous work takes 1 ms. */
  const begin = async (name: string) => {
    const turn = pacer.whenReady();
    if (turn) await turn;
    begun.push(name);
    now++;
    pacer.started();
  };
  return { begin, begun };
}

it('spreads requests over iterations of the event loop, in order', async () => {
  const { begin, begun } = setUp();
  const names = Array.from({ length: 50 }, (_, i) => `r${i}`);
  const all = Promise.all(names.map(begin));
  for (let before = 0; begun.length < names.length; before = begun.length) {
    await turn();
    expect(begun.length - before).toBeLessThanOrEqual(4);
  }
  await all;
  expect(begun).toEqual(names);
});

it('does not delay a single request', async () => {
  const { begin, begun } = setUp();
  for (let i = 0; i < 3; i++) {
    await turn();
    void begin('alone');
    await Promise.resolve();
    await Promise.resolve();
    expect(begun).toHaveLength(i + 1);
  }
});
