import { describe, expect, it } from 'vitest';
import { canonicalQuantity, formatQuantity } from './format.ts';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  QuantityError,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from './quantity.ts';

describe('quantities', () => {
  it.each([
    ['0', '0'],
    ['00', '0'],
    ['1', '1'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['1500m', '1500m'],
    ['1.500', '1.500'],
    ['1024Ki', '1Mi'],
    ['1500Mi', '1500Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.1Ki', '102400m'],
    ['1000', '1k'],
    ['12e6', '12e6'],
    ['100e1', '1e3'],
    ['1e-10', '1e-9'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['+5', '+5'],
    ['9223372036854775808Ei', '9223372036854775807'],
    ['k', '0'],
    ['5e400', '50e399'],
  ])('formats %s as %s', (text, written) => {
    expect(canonicalQuantity(text)).toBe(written);
  });

  it.each(['', 'x', '1x', '1 ', '1.2.3', '1mm', '1e', '1KI', 'Pi', '1e99999999999'])('rejects %j', (text) => {
    expect(() => parseQuantity(text)).toThrow(QuantityError);
  });

  it.each([
    ['1', '1000m', 0],
    ['1Ki', '1000', 1],
    ['-1', '1n', -1],
    ['1e2000000000', '1e-9', 1],
    ['-1e2000000000', '-1', -1],
  ])('compares %s with %s', (a, b, expected) => {
    expect(Math.sign(compareQuantities(parseQuantity(a), parseQuantity(b)))).toBe(expected);
    expect(Math.sign(compareQuantities(parseQuantity(b), parseQuantity(a)))).toBe(expected === 0 ? 0 : -expected);
  });

  it('adds and subtracts in the format of the first nonzero operand', () => {
    const sum = addQuantities(parseQuantity('1Gi'), parseQuantity('1Ki'));
    expect(formatQuantity(sum)).toBe('1048577Ki');
    expect(formatQuantity(subtractQuantities(sum, parseQuantity('1Ki')))).toBe('1Gi');
    expect(formatQuantity(addQuantities(zeroQuantity, parseQuantity('2Gi')))).toBe('2Gi');
    expect(quantityValue(parseQuantity('1500m'))).toBe(2n);
    expect(quantityValue(parseQuantity('1500m'), -3)).toBe(1500n);
  });
});
