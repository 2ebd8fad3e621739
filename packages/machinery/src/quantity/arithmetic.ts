import type { Quantity } from './quantity.ts';

export const zeroQuantity: Quantity = { mantissa: 0n, exponent: 0, format: 'DecimalSI' };

/** Below zero if a is less than b, above if it is more. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [signA, signB] = [sign(a.mantissa), sign(b.mantissa)];
  if (signA !== signB || signA === 0) return signA - signB;
  // Numbers of very different size are told apart by their length, so that no exponent is ever written out in zeros.
  const [sizeA, sizeB] = [size(a), size(b)];
  if (sizeA !== sizeB) return sizeA < sizeB ? -signA : signA;
  const exponent = Math.min(a.exponent, b.exponent);
  return sign(at(a, exponent) - at(b, exponent));
}

/** Written as `a` is, or as `b` is if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const format = a.mantissa === 0n ? b.format : a.format;
  return { mantissa: at(a, exponent) + at(b, exponent), exponent, format };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, mantissa: -b.mantissa });
}

/** The amount as a whole number of 10^exponent, rounded away from zero: 0 for units, -3 for thousandths. */
export function quantityValue(quantity: Quantity, exponent = 0): bigint {
  if (quantity.exponent >= exponent) return at(quantity, exponent);
  const divisor = 10n ** BigInt(exponent - quantity.exponent);
  const whole = quantity.mantissa / divisor;
  return quantity.mantissa % divisor === 0n ? whole : whole + BigInt(sign(quantity.mantissa));
}

/** An exponent is at most this much larger than another it meets; what is beyond is not a quantity of anything. */
const maxShift = 4_096;

function at({ mantissa, exponent }: Quantity, target: number): bigint {
  return mantissa * 10n ** BigInt(Math.min(exponent - target, maxShift));
}

function size({ mantissa, exponent }: Quantity): number {
  return mantissa.toString().replace('-', '').length + exponent;
}

function sign(value: bigint): number {
  if (value === 0n) return 0;
  return value < 0n ? -1 : 1;
}
