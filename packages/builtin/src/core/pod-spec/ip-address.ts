import { isIP, isIPv6 } from 'node:net';
import type { FieldErrors, FieldPath } from '@tsukube/machinery';

const invalid = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Any way to write an address, but none that programs read differently. */
export function validateIP(text: string, at: FieldPath, errors: FieldErrors): void {
  if (isIP(text) !== 0 && !text.includes('%')) {
    if (isMapped(text)) errors.invalid(at, text, 'must not be an IPv4-mapped IPv6 address');
    return;
  }
  errors.invalid(at, text, isIP(withoutLeadingZeros(text)) !== 0 ? 'must not have leading 0s' : invalid);
}

function isMapped(text: string): boolean {
  return isIPv6(text) && /^(?:0*:)*:?ffff:(?:\d+\.\d+\.\d+\.\d+|[0-9a-f]{1,4}:[0-9a-f]{1,4})$/i.test(text) && zerosBefore(text);
}

/** Whether what stands before `ffff` fills up to the first eighty bits. */
function zerosBefore(text: string): boolean {
  const groups = text.slice(0, text.toLowerCase().indexOf('ffff')).split(':').length - 1;
  return text.includes('::') || groups === 5;
}

function withoutLeadingZeros(text: string): string {
  return text.replace(/(^|[.:])0+(?=\d+(?:\.|$))/g, '$1');
}
