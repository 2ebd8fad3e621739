import { expect, it } from 'vitest';
import { cpuQuantity, durationText, memoryQuantity, timeText } from './metrics-resources.ts';

it.each([
  [0, '0'],
  [1, '1n'],
  [1500, '1500n'],
  [15_000, '15u'],
  [123_456_789, '123456789n'],
  [250_000_000, '250m'],
  [1_500_000_000, '1500m'],
  [2_000_000_000, '2'],
  [2_000_000_000_000, '2k'],
])('%s billionths', (value, text) => {
  expect(cpuQuantity(value)).toBe(text);
});

it.each([
  [0, '0'],
  [1000, '1k'],
  [1001, '1001'],
  [1024, '1Ki'],
  [1536, '1536'],
  [4096 * 1024, '4Mi'],
  [4097 * 1024, '4097Ki'],
  [2 ** 40, '1Ti'],
])('%s bytes', (value, text) => {
  expect(memoryQuantity(value)).toBe(text);
});

it.each([
  [0, '0s'],
  [15, '15ms'],
  [15_000, '15s'],
  [15_012, '15.012s'],
  [60_000, '1m0s'],
  [90_500, '1m30.5s'],
  [3_600_000, '1h0m0s'],
])('%s milliseconds', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

it('times have whole seconds', () => {
  expect(timeText(1_700_000_000_999)).toBe('2023-11-14T22:13:20Z');
});
