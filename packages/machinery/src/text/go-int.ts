/** Why Go does not take a text for a 64-bit integer. */
export class GoIntError extends Error {
  override readonly name = 'GoIntError';
}

const max = 2n ** 63n - 1n;
const maxDigits = 19;

/** Reads what strconv.ParseInt reads. Fails with GoIntError, whose message is the reason alone. */
export function parseGoInt64(text: string): bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new GoIntError('invalid syntax');
  const digits = text.replace(/^[+-]?0*/, '');
  if (digits.length > maxDigits) throw new GoIntError('value out of range');
  const value = BigInt(digits || '0');
  if (value > (text.startsWith('-') ? max + 1n : max)) throw new GoIntError('value out of range');
  return text.startsWith('-') ? -value : value;
}
