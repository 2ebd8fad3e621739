import { beforeEach, describe, expect, it } from 'vitest';
import { ClockComparison } from './clock-comparison.ts';

let time: number;
let revision: number;

beforeEach(() => {
  [time, revision] = [1_000_000, 100];
});

/** Servers in the order in which they joined, with the errors of their clocks in milliseconds. */
function servers(...errors: readonly number[]) {
  const all = errors.map(
    (error, i) =>
      new ClockComparison(
        `s${i}`,
        () => time + error,
        () => time,
      ),
  );
  /** Server `i` renews its lease, and the others see it after a delay. */
  const renew = (i: number, delayMs = 0) => {
    const renewedAt = time + (errors[i] as number);
    time += delayMs;
    revision++;
    for (const each of all) each.observe({ server: `s${i}`, created: i, revision, renewedAt });
  };
  const pass = (rounds: number, without: readonly number[] = []) => {
    for (let round = 0; round < rounds; round++) {
      time += 10_000;
      for (const i of all.keys()) if (!without.includes(i)) renew(i);
    }
  };
  return { renew, pass, problems: () => all.map((each) => each.problem()) };
}

describe('the clocks of servers on a store', () => {
  it.each<[string, number[], (string | undefined)[]]>([
    ['one server', [0], [undefined]],
    ['equal', [0, 0, 0], [undefined, undefined, undefined]],
    ['nearly equal', [0, 20_000, -9_000], [undefined, undefined, undefined]],
    ['one ahead', [0, 300_000, 0], [undefined, '5m ahead of', undefined]],
    ['one behind, the oldest', [-60_000, 0, 0], ['60s behind', undefined, undefined]],
    ['two servers: the older is right', [0, 3_600_000], [undefined, '60m ahead of']],
    ['two servers: the older is right, whatever the time', [3_600_000, 0], [undefined, '60m behind']],
    ['all different: the median is right', [-600_000, 600_000, 0], ['10m behind', '10m ahead of', undefined]],
    ['two and two: the older pair is right', [0, 0, 600_000, 600_000], [undefined, undefined, '10m ahead of', '10m ahead of']],
  ])('%s', (_, errors, expected) => {
    const { pass, problems } = servers(...errors);
    pass(3);
    expect(problems()).toEqual(
      expected.map((each) => each && `the clock of this server is ${each} those of the other servers on the store`),
    );
  });

  it('are not judged by the median of some, while a server has renewed once', () => {
    const { renew, problems } = servers(3_600_000, 0, 0);
    // The older server, which is wrong, is confirmed first.
    renew(0);
    time += 6_000;
    for (const i of [1, 2]) renew(i);
    time += 4_000;
    renew(0);
    expect(problems().slice(1)).toEqual([undefined, undefined]);
    time += 6_000;
    for (const i of [1, 2]) renew(i);
    expect(problems()).toEqual([expect.stringContaining('60m ahead of'), undefined, undefined]);
  });

  it('are not compared by one renewal that was seen late, or by one from before', () => {
    const { renew, pass, problems } = servers(0, 0);
    renew(1, 120_000);
    expect(problems()).toEqual([undefined, undefined]);
    pass(2);
    renew(0, 60_000);
    expect(problems()).toEqual([undefined, undefined]);
    pass(1);
    // Renewals that arrive at once, after a pause.
    for (let i = 0; i < 5; i++) renew(0, i === 0 ? 60_000 : 1);
    expect(problems()).toEqual([undefined, undefined]);
  });

  it('are not compared with one that is gone', () => {
    const { pass, problems } = servers(0, 300_000);
    pass(3);
    expect(problems()[1]).toContain('ahead');
    pass(4, [0]);
    expect(problems()[1]).toBeUndefined();
  });

  it('do not decide whether a server is gone: that its lease was seen, and not renewed for long', () => {
    const clocks = new ClockComparison(
      'self',
      () => time + 7_200_000,
      () => time,
    );
    expect(clocks.isGone('peer')).toBe(false);
    clocks.observe({ server: 'peer', created: 1, revision: 2, renewedAt: time });
    expect(clocks.isGone('peer')).toBe(false);
    time += 36_000;
    expect(clocks.isGone('peer')).toBe(true);
  });
});
