import { BoundedCache } from '../cache/bounded-cache.ts';
export type QuantityFormat = 'BinarySI' | 'DecimalSI' | 'DecimalExponent';

/** An exact amount: mantissa × 10^exponent. */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  /** Suffix family used for formatting. */
  readonly format: QuantityFormat;
  /** The source text, if it is canonical. */
  readonly text?: string;
}

/** Not a quantity. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

interface Suffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?[0-9]*|[-+][0-9]*)?)$/;
const formatWrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const numberWrong = 'unable to parse numeric part of quantity';
const suffixWrong = "unable to parse quantity's suffix";

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const suffixes = new Map<string, Suffix>([
  ...decimalSuffixes.map((suffix, i): [string, Suffix] => [suffix, { base: 10, exponent: i * 3 - 9, format: 'DecimalSI' }]),
  ...binarySuffixes.map((suffix, i): [string, Suffix] => [suffix, { base: 2, exponent: (i + 1) * 10, format: 'BinarySI' }]),
]);

/** Length limit, because parsing is quadratic in the number of digits. */
const maxLength = 256;
const nano = -9;
const maxInt64 = 2n ** 63n - 1n;

/** Most objects use the same few quantities, and each is parsed several times. */
const parsed = new BoundedCache<string, Quantity>({ entries: 1_000 });
/** Longer texts are not cached. */
export const maxCachedLength = 32;

/** Throws QuantityError. */
export function parseQuantity(text: string): Quantity {
  const known = parsed.get(text);
  if (known !== undefined) return known;
  const quantity = readQuantity(text);
  if (text.length <= maxCachedLength) parsed.set(text, quantity);
  return quantity;
}

/** Integers without suffix that need no rounding. */
const plainInteger = /^[1-9][0-9]{0,14}$/;

function readQuantity(text: string): Quantity {
  if (plainInteger.test(text)) {
    const plain = { mantissa: BigInt(text), exponent: 0, format: 'DecimalSI' } as const;
    return text.endsWith('000') ? plain : { ...plain, text };
  }
  const match = text === '' || text.length > maxLength ? null : shape.exec(text);
  if (match === null) throw new QuantityError(formatWrong);
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = interpretSuffix(suffixText);
  const digits = whole.replace(/^0+/, '') || '0';
  const quick = isQuick(digits, fraction, suffix);
  // Kubernetes accepts missing digits only on its fast path.
  if (!quick && whole === '' && fraction === '') throw new QuantityError(numberWrong);
  const magnitude = round(scale(BigInt(digits + fraction), fraction.length, suffix), suffix.format);
  const mantissa = sign === '-' ? -magnitude.mantissa : magnitude.mantissa;
  const asGiven = quick && looksCanonical(digits, fraction, suffix);
  return { ...magnitude, mantissa, ...(asGiven && { text }) };
}

function interpretSuffix(text: string): Suffix {
  const known = suffixes.get(text);
  if (known !== undefined) return known;
  const exponent = /^[eE]([+-]?[0-9]{1,10})$/.exec(text)?.[1];
  if (exponent === undefined || Math.abs(Number(exponent)) > 2 ** 31 - 1) throw new QuantityError(suffixWrong);
  return { base: 10, exponent: Number(exponent), format: 'DecimalExponent' };
}

interface Amount {
  readonly mantissa: bigint;
  readonly exponent: number;
}

function scale(digits: bigint, fractionLength: number, { base, exponent }: Suffix): Amount {
  if (base === 2) return { mantissa: digits << BigInt(exponent), exponent: -fractionLength };
  return { mantissa: digits, exponent: exponent - fractionLength };
}

/** Rounds up to a nano. Binary amounts are capped at 2^63. */
function round({ mantissa, exponent }: Amount, format: QuantityFormat): Amount & { format: QuantityFormat } {
  const amount = exponent < nano ? { mantissa: divideUp(mantissa, nano - exponent), exponent: nano } : { mantissa, exponent };
  if (format !== 'BinarySI') return { ...amount, format };
  const one = 10n ** BigInt(-amount.exponent);
  if (amount.mantissa > maxInt64 * one) return { mantissa: maxInt64, exponent: 0, format };
  return { ...amount, format: amount.mantissa > 0n && amount.mantissa < one ? 'DecimalSI' : format };
}

function divideUp(value: bigint, power: number): bigint {
  if (value === 0n) return 0n;
  // The quotient is less than one.
  if (power > value.toString().length) return 1n;
  const divisor = 10n ** BigInt(power);
  return (value + divisor - 1n) / divisor;
}

/** Whether Kubernetes uses its fast path (int64) for the text. */
function isQuick(digits: string, fraction: string, { format, exponent }: Suffix): boolean {
  if (format !== 'BinarySI') return digits.length + fraction.length <= 18 && exponent - fraction.length >= nano;
  return fraction === '' && 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1 >= 0;
}

/** The fast path keeps texts that look canonical. */
function looksCanonical(digits: string, fraction: string, { format, exponent }: Suffix): boolean {
  if (format === 'BinarySI') return (BigInt(digits) & 7n) !== 0n;
  const shifted = digits + fraction;
  return (exponent - fraction.length) % 3 === 0 && !shifted.endsWith('000') && !shifted.startsWith('0');
}

export const zeroQuantity: Quantity = { mantissa: 0n, exponent: 0, format: 'DecimalSI' };

/** Negative if a < b, positive if a > b. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [signA, signB] = [sign(a.mantissa), sign(b.mantissa)];
  if (signA !== signB || signA === 0) return signA - signB;
  // Compares magnitudes first, so that large exponents are never expanded.
  const [sizeA, sizeB] = [size(a), size(b)];
  if (sizeA !== sizeB) return sizeA < sizeB ? -signA : signA;
  const exponent = Math.min(a.exponent, b.exponent);
  return sign(at(a, exponent) - at(b, exponent));
}

/** Uses the format of `a`, or of `b` if `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const format = a.mantissa === 0n ? b.format : a.format;
  return { mantissa: at(a, exponent) + at(b, exponent), exponent, format };
}

export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, { ...b, mantissa: -b.mantissa });
}

/** The amount in units of 10^exponent, rounded away from zero: 0 for units, -3 for thousandths. */
export function quantityValue(quantity: Quantity, exponent = 0): bigint {
  if (quantity.exponent >= exponent) return at(quantity, exponent);
  const divisor = 10n ** BigInt(exponent - quantity.exponent);
  const whole = quantity.mantissa / divisor;
  return quantity.mantissa % divisor === 0n ? whole : whole + BigInt(sign(quantity.mantissa));
}

/** Limit of the difference of two exponents. */
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
