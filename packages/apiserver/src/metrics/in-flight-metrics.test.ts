import { expect, it } from 'vitest';
import { Peak } from './in-flight-metrics.ts';

it('shows the maximum of the last second', () => {
  let now = 10_000;
  const peak = new Peak(() => now);
  peak.set(5);
  peak.set(1);
  expect(peak.read()).toBe(5);
  now = 11_500;
  expect(peak.read()).toBe(5);
  now = 12_000;
  expect(peak.read()).toBe(1);
  peak.set(3);
  expect(peak.read()).toBe(3);
  now = 99_000;
  expect(peak.read()).toBe(3);
});
