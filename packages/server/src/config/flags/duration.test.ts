import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('Go durations', () => {
  it.each([
    ['0', 0],
    ['5m', 300_000],
    ['5m0s', 300_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['.5s', 500],
    ['300ms', 300],
    ['1us', 0.001],
    ['-2s', -2_000],
    ['+2s', 2_000],
  ])('reads %s', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  it.each(['', '5', 'm', '5 m', '5x', '5m3', '--5m', 'abc'])('refuses %j', (text) => expect(parseDuration(text)).toBeUndefined());

  it.each([0, 300_000, 5_400_000, 1_500, 3_600_000])('writes %d so that it reads the same', (milliseconds) =>
    expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds),
  );
});
