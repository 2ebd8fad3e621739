import { describe, expect, it } from 'vitest';
import { type Sample, trendsOf } from './measurements.ts';

/** One sample per minute for an hour. */
function hour(heapAt: (minute: number) => number): Sample[] {
  return Array.from({ length: 60 }, (_, minute) => ({
    atMs: minute * 60_000,
    heap: heapAt(minute),
    external: 1,
    resident: 100,
    file: 10,
  }));
}

const noise = (minute: number) => ((minute * 7919) % 13) - 6;

describe('the trend of memory', () => {
  it.each<[string, (minute: number) => number, boolean]>([
    ['that stays is flat', () => 40, true],
    ['that goes up and down is flat', (minute) => 40 + noise(minute), true],
    ['that rises while it warms up is flat', (minute) => Math.min(minute, 12) * 4, true],
    ['that falls is flat', (minute) => 100 - minute, true],
    ['that leaks is not', (minute) => 40 + minute / 4, false],
    ['that leaks within noise is not', (minute) => 40 + minute / 3 + noise(minute), false],
  ])('%s', (_, heapAt, isFlat) => {
    expect(trendsOf(hour(heapAt)).find(({ quantity }) => quantity === 'heap')?.isFlat).toBe(isFlat);
  });

  it('has a slope per hour', () => {
    const [heap] = trendsOf(hour((minute) => 40 + minute / 10));
    expect(heap?.slope).toBeCloseTo(6);
  });
});
