import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/value.ts';
import { formatGoDuration, parseGoDuration } from './go-duration.ts';
import { goQuote } from './go-quote.ts';
import { goValueText, parseGoInt64 } from './go-value.ts';

describe('Go text', () => {
  it.each([
    ['plain', '"plain"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\u0000\u0007\n\u007f', '"\\x00\\a\\n\\x7f"'],
    ['é€😀', '"é€😀"'],
    ['\u200b\u00a0\ufeff', '"\\u200b\\u00a0\\ufeff"'],
    ['\u{e0001}', '"\\U000e0001"'],
  ])('quotes %j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });

  it.each<[JsonValue, string]>([
    [{ b: [1, 'x'], a: null }, 'map[a:<nil> b:[1 x]]'],
    [1.5, '1.5'],
    [1234567.5, '1.2345675e+06'],
    [0.00001, '1e-05'],
    [100000.5, '100000.5'],
    [true, 'true'],
  ])('formats %j', (value, printed) => {
    expect(goValueText(value)).toBe(printed);
  });

  it.each([
    ['1h30m', '1h30m0s'],
    ['1.5s', '1.5s'],
    ['-250ms', '-250ms'],
    ['1500us', '1.5ms'],
    ['0', '0s'],
    ['100h', '100h0m0s'],
    ['10ns', '10ns'],
    ['7m9s', '7m9s'],
    ['1h2m3.5s', '1h2m3.5s'],
    ['1\u00b5s', '1µs'],
    ['1\u03bcs', '1µs'],
    ['+1.5h', '1h30m0s'],
    ['-9223372036854775808ns', '-2562047h47m16.854775808s'],
  ])('parses the duration %s as %s', (text, printed) => {
    expect(formatGoDuration(parseGoDuration(text))).toBe(printed);
  });

  it.each([
    ['', 'time: invalid duration ""'],
    ['1', 'time: missing unit in duration "1"'],
    ['1d', 'time: unknown unit "d" in duration "1d"'],
    ['.s', 'time: invalid duration ".s"'],
    ['9999999999h', 'time: invalid duration "9999999999h"'],
  ])('rejects the duration %j', (text, message) => {
    expect(() => parseGoDuration(text)).toThrow(message);
  });
});

describe('parseGoInt64', () => {
  it.each([
    ['0', 0n],
    ['+007', 7n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['9223372036854775807', 2n ** 63n - 1n],
  ])('%j', (text, value) => {
    expect(parseGoInt64(text)).toBe(value);
  });

  it.each([
    ['', 'invalid syntax'],
    ['-', 'invalid syntax'],
    ['1x', 'invalid syntax'],
    ['9223372036854775808', 'value out of range'],
    ['9'.repeat(1_000_000), 'value out of range'],
    [`${'0'.repeat(1_000_000)}x`, 'invalid syntax'],
  ])('rejects %#', (text, reason) => {
    expect(() => parseGoInt64(text)).toThrow(reason);
  });
});
