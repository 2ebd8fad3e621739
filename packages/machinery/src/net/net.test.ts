import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import { containsAddress, formatAddress, formatCidr, parseAddress, parseCidr } from './address.ts';
import {
  validateCidr,
  validateIPAddress,
  validateLegacyCidr,
  validateLegacyIP,
  warningsForCidr,
  warningsForIP,
} from './validate.ts';

describe('addresses', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['010.000.0.01', '10.0.0.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['::', '::'],
    ['::1', '::1'],
    ['1::', '1::'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304'],
  ])('formats %s as %s', (text, canonical) => {
    expect(formatAddress(parseAddress(text) ?? { family: 'IPv4', value: 0n })).toBe(canonical);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'fe80::1%eth0',
    '12345::',
    'x',
  ])('rejects %s', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe('CIDRs', () => {
  it.each([
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['2001:db8::1/32', '2001:db8::/32'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
  ])('formats %s as %s', (text, canonical) => {
    const cidr = parseCidr(text);
    expect(cidr && formatCidr(cidr)).toBe(canonical);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '::/129', '/8', 'x/8', '10.0.0.0/'])('rejects %s', (text) => {
    expect(parseCidr(text)).toBeUndefined();
  });

  it.each([
    ['10.0.0.0/24', '10.0.0.255', true],
    ['10.0.0.0/24', '10.0.1.0', false],
    ['::/0', '10.0.0.1', false],
    ['fe80::/10', 'fe80::1', true],
  ])('%s contains %s: %s', (range, ip, expected) => {
    const [cidr, address] = [parseCidr(range), parseAddress(ip)];
    expect(cidr && address && containsAddress(cidr, address)).toBe(expected);
  });
});

describe('validation', () => {
  const checks = { validateLegacyIP, validateIPAddress, validateLegacyCidr, validateCidr };

  it.each<[keyof typeof checks, string, string[]]>([
    ['validateLegacyIP', '2001:DB8::1', []],
    ['validateLegacyIP', '010.0.0.1', ['must not have leading 0s']],
    ['validateLegacyIP', '::ffff:1.2.3.4', ['must not be an IPv4-mapped IPv6 address']],
    ['validateLegacyIP', 'x', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['validateIPAddress', '2001:DB8::1', ['must be in canonical form ("2001:db8::1")']],
    ['validateLegacyCidr', '10.0.0.1/8', ['must not have bits set beyond the prefix length']],
    ['validateLegacyCidr', '10.0.0.0/08', ['must not have leading 0s in IP or prefix length']],
    ['validateLegacyCidr', '::ffff:10.0.0.0/104', ['must not have an IPv4-mapped IPv6 address']],
    ['validateCidr', '2001:DB8::/32', ['must be in canonical form ("2001:db8::/32")']],
    ['validateCidr', '10.0.0.0/8', []],
  ])('%s of %s', (check, text, problems) => {
    const errors = new FieldErrors();
    checks[check](text, path('f'), errors);
    expect(errors.list.map(({ body }) => body)).toEqual(problems.map((problem) => `Invalid value: "${text}": ${problem}`));
  });

  it('ratcheting: accepts values that were stored before', () => {
    const errors = new FieldErrors();
    validateLegacyIP('010.0.0.1', path('f'), errors, new Set(['010.0.0.1']));
    expect(errors.length).toBe(0);
  });

  it('warns about non-canonical forms', () => {
    expect(warningsForIP('2001:DB8::1', path('f'))).toEqual([
      'f: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")',
    ]);
    expect(warningsForCidr('10.0.0.1/8', path('f'))).toEqual([
      'f: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)',
    ]);
  });
});
