import { goQuote } from '@tsukube/machinery';

const maxUint64 = 2n ** 64n - 1n;

/** What Go says of a text that is no unsigned number of 64 bits; undefined if it is one. */
export function uint64Problem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  return isInRange(text) ? undefined : `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`;
}

function isInRange(digits: string): boolean {
  if (digits.length < 20) return true;
  const significant = digits.replace(/^0+/, '');
  return significant.length <= 20 && BigInt(significant) <= maxUint64;
}
