import { BoundedCache } from '../cache/bounded-cache.ts';
import { trimRight } from '../text/strings.ts';
import { maxCachedLength, parseQuantity, type Quantity } from './quantity.ts';

const decimalSuffixes = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
]);
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Most objects use the same few quantities. */
const canonicalTexts = new BoundedCache<string, string>({ entries: 1_000 });

/** Returns the canonical form of a quantity. Throws QuantityError. */
export function canonicalQuantity(text: string): string {
  const known = canonicalTexts.get(text);
  if (known !== undefined) return known;
  const canonical = formatQuantity(parseQuantity(text));
  if (text.length <= maxCachedLength) canonicalTexts.set(text, canonical);
  return canonical;
}

/** Uses the largest suffix that leaves no fraction. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.mantissa === 0n) return '0';
  return (quantity.format === 'BinarySI' ? formatBinary(quantity) : undefined) ?? formatDecimal(quantity);
}

/** Undefined if it is not exact, or below 1024. */
function formatBinary({ mantissa, exponent }: Quantity): string | undefined {
  const one = 10n ** BigInt(Math.max(-exponent, 0));
  if (mantissa % one !== 0n) return undefined;
  let amount = exponent > 0 ? mantissa * 10n ** BigInt(exponent) : mantissa / one;
  if (amount > -1024n && amount < 1024n) return undefined;
  let power = 0;
  for (; amount % 1024n === 0n; power++) amount /= 1024n;
  return `${amount}${binarySuffixes[power] ?? ''}`;
}

function formatDecimal({ mantissa, exponent, format }: Quantity): string {
  const digits = mantissa.toString();
  const zeros = digits.length - trimRight(digits, '0').length;
  const power = exponent + zeros;
  const missing = ((power % 3) + 3) % 3;
  const amount = digits.slice(0, digits.length - zeros) + '0'.repeat(missing);
  return amount + decimalSuffix(power - missing, format);
}

function decimalSuffix(power: number, format: Quantity['format']): string {
  if (power === 0) return '';
  return format === 'DecimalExponent' ? `e${power}` : (decimalSuffixes.get(power) ?? '');
}
