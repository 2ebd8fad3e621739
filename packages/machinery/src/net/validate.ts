import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { goQuote } from '../text/go-quote.ts';
import { type Address, type Cidr, formatAddress, formatCidr, parseAddress, parseCidr } from './address.ts';

const noAddress = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const noCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
const leadingZeros = 'must not have leading 0s';
const leadingZerosInCidr = 'must not have leading 0s in IP or prefix length';
const mapped = 'must not be an IPv4-mapped IPv6 address';
const mappedInCidr = 'must not have an IPv4-mapped IPv6 address';
const bitsBeyond = 'must not have bits set beyond the prefix length';

function notCanonical(form: string): string {
  return `must be in canonical form (${goQuote(form)})`;
}

const none: ReadonlySet<string> = new Set();

/** Legacy validation: any notation except ambiguous ones. Ratcheting: values in `before` stay valid. */
export function validateLegacyIP(text: string, path: FieldPath, errors: FieldErrors, before: ReadonlySet<string> = none): void {
  if (!before.has(text)) checkAddress(text, path, errors);
}

/** Requires an address in canonical form. */
export function validateIPAddress(text: string, path: FieldPath, errors: FieldErrors): void {
  const address = checkAddress(text, path, errors);
  if (!address) return;
  const form = formatAddress(address);
  if (form !== text) errors.invalid(path, text, notCanonical(form));
}

/** Returns the address if it is valid. */
function checkAddress(text: string, path: FieldPath, errors: FieldErrors): Address | undefined {
  const address = parseAddress(text);
  if (!address) {
    errors.invalid(path, text, noAddress);
    return undefined;
  }
  if (address.leadingZeros) errors.invalid(path, text, leadingZeros);
  else if (address.mapped) errors.invalid(path, text, mapped);
  return address.leadingZeros || address.mapped ? undefined : address;
}

export function validateLegacyCidr(text: string, path: FieldPath, errors: FieldErrors, before: ReadonlySet<string> = none): void {
  if (!before.has(text)) checkCidr(text, path, errors);
}

/** Requires a CIDR in canonical form. */
export function validateCidr(text: string, path: FieldPath, errors: FieldErrors): void {
  const form = checkCidr(text, path, errors);
  if (form !== undefined && form !== text) errors.invalid(path, text, notCanonical(form));
}

/** Returns the canonical form if the CIDR is valid. */
function checkCidr(text: string, path: FieldPath, errors: FieldErrors): string | undefined {
  const cidr = parseCidr(text);
  if (!cidr) {
    errors.invalid(path, text, noCidr);
    return undefined;
  }
  const problem = problemOf(cidr);
  if (problem === undefined) return formatCidr(cidr);
  errors.invalid(path, text, problem);
  return undefined;
}

function problemOf({ address, base, leadingZeros: inLength }: Cidr): string | undefined {
  if (address.leadingZeros || inLength) return leadingZerosInCidr;
  if (address.mapped) return mappedInCidr;
  return address.value === base ? undefined : bitsBeyond;
}

/** Warnings for an address that is valid but not canonical. */
export function warningsForIP(text: string, path: FieldPath): readonly string[] {
  const address = parseAddress(text);
  if (!address) return [];
  const form = formatAddress(address);
  if (address.leadingZeros || address.mapped)
    return [`${path}: non-standard IP address ${goQuote(text)} is invalid: use ${goQuote(form)}`];
  if (address.family === 'IPv4' || form === text) return [];
  return [`${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(form)})`];
}

export function warningsForCidr(text: string, path: FieldPath): readonly string[] {
  const cidr = parseCidr(text);
  if (!cidr) return [];
  const { address } = cidr;
  const form = formatCidr(cidr);
  const warnings: string[] = [];
  if (address.value !== cidr.base) {
    const single = `${formatAddress(address)}/${address.family === 'IPv4' ? 32 : 128}`;
    warnings.push(
      `${path}: CIDR value ${goQuote(text)} is ambiguous in this context (should be ${goQuote(form)} or ${goQuote(single)}?)`,
    );
  }
  if (address.leadingZeros || cidr.leadingZeros || address.mapped)
    warnings.push(`${path}: non-standard CIDR value ${goQuote(text)} is invalid: use ${goQuote(form)}`);
  if (warnings.length === 0 && cidr.family === 'IPv6' && form !== text)
    warnings.push(`${path}: IPv6 CIDR value ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(form)})`);
  return warnings;
}
