import { describe, expect, it } from 'vitest';
import { holdOf } from './event-loop.ts';
import { disproportion, type Measure } from './proportion.ts';

const bounds = { briefMs: 100, longestMs: 1_000 };

/** Costs by a formula, with disturbances added to successive measurements. */
function costs(ofCount: (count: number) => number, disturbances: readonly number[] = [0], most = Infinity) {
  let measurements = 0;
  const measure: Measure = async (count) => {
    if (count > most) return undefined;
    const total = ofCount(count) + (disturbances[measurements++ % disturbances.length] ?? 0);
    return { total, longest: total };
  };
  return { measure, measurements: () => measurements };
}

const linear = (count: number) => count / 40;
const sorting = (count: number) => (count * Math.log2(count)) / 400;
const quadratic = (count: number) => count ** 2 / 200_000;

describe('proportional costs', () => {
  it.each([
    ['linear', linear, [0]],
    ['n log n', sorting, [0]],
    ['linear, a pause in the first two of 2n', linear, [150, 0, 150, 0, 0]],
    ['linear, a pause in all but one of 2n', linear, [150, 0, 150, 0, 150, 0, 150, 0, 0, 0, 0]],
    ['linear, a busy machine throughout', linear, [10, 80, 40, 120, 60, 20, 90]],
  ])('%s', async (_, cost, disturbances) => {
    expect(await disproportion(costs(cost, disturbances).measure, 3_000, bounds)).toBeUndefined();
  });

  it('small costs are measured once', async () => {
    const { measure, measurements } = costs(() => 100);
    expect(await disproportion(measure, 3_000, bounds)).toBeUndefined();
    expect(measurements()).toBe(1);
  });

  it('one steep step, such as an exceeded cache, is not a slope', async () => {
    const step = (count: number) => (count > 4_000 ? 200 : 50) + count / 100;
    expect(await disproportion(costs(step).measure, 3_000, bounds)).toBeUndefined();
  });
});

describe('disproportionate costs', () => {
  it.each([
    ['quadratic', quadratic, [0]],
    ['quadratic with pauses', quadratic, [0, 150, 0, 0, 300, 20]],
    ['quadratic above a linear part', (n: number) => quadratic(n) + n / 200, [0]],
  ])('%s', async (_, cost, disturbances) => {
    expect(await disproportion(costs(cost, disturbances).measure, 3_000, bounds)).toMatch(/^superlinear: /);
  });

  it('quadratic, if twice the size exceeds the limit of a request', async () => {
    expect(await disproportion(costs(quadratic, [0], 6_000).measure, 3_000, bounds)).toMatch(/^superlinear: /);
  });

  it('a stall', async () => {
    expect(await disproportion(costs((count) => count / 2).measure, 3_000, bounds)).toMatch(/^stall: .* longest turn 3000 ms/);
  });

  it('measured quadratic code', async () => {
    const measure: Measure = async (count) => {
      let pairs = 0;
      const { hold } = await holdOf(async () => {
        for (let i = 0; i < count; i++) for (let k = 0; k < count; k++) if (((i ^ k) & 1023) === 0) pairs++;
      });
      expect(pairs).toBeGreaterThan(count);
      return hold;
    };
    expect(await disproportion(measure, 4_000, { briefMs: 5, longestMs: 10_000 })).toMatch(/^superlinear: /);
  });
});
