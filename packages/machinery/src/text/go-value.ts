/** Formats a JSON value like Go's %v: `map[a:1 b:[x y]]`. */
export function goValueText(value: unknown): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloatText(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? `[${value.map(goValueText).join(' ')}]` : mapText(value as Readonly<Record<string, unknown>>);
}

function mapText(object: Readonly<Record<string, unknown>>): string {
  const members = Object.keys(object)
    .sort()
    .map((key) => `${key}:${goValueText(object[key])}`);
  return `map[${members.join(' ')}]`;
}

/** The Go type that encoding/json decodes a value into. */
export function goTypeText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

/** Formats a float64 like Go's %v and %g: with an exponent of at least two digits from 1e+06 on. */
export function goFloatText(value: number): string {
  if (value === 0) return '0';
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  // Within these bounds JavaScript uses no exponent either.
  if (power >= -4 && power < 6) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** The error of strconv.ParseInt without the function name and the input. */
export class GoIntError extends Error {
  override readonly name = 'GoIntError';
}

const maxInt64 = 2n ** 63n - 1n;
const maxDigits = 19;

/** strconv.ParseInt(text, 10, 64). Throws GoIntError. */
export function parseGoInt64(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new GoIntError('invalid syntax');
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > maxDigits) throw new GoIntError('value out of range');
  const value = BigInt(digits || '0');
  if (value > (text.startsWith('-') ? maxInt64 + 1n : maxInt64)) throw new GoIntError('value out of range');
  return text.startsWith('-') ? -value : value;
}
