import { describe, expect, it } from 'vitest';
import { GoRegExpError, goRegExp, goRegExpProblem } from './go-regexp.ts';

describe('goRegExp', () => {
  it.each<[string, string, boolean]>([
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a-b', true],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a-', false],
    ['b', 'abc', true],
    ['(?i)^ABC$', 'abc', true],
    ['^\\p{Greek}+$', 'αβγ', true],
    ['^(a+)+$', `${'a'.repeat(100_000)}b`, false],
  ])('%s', (expression, text, matches) => expect(goRegExp(expression).matches(text)).toBe(matches));

  const wrong: readonly (readonly [string, string])[] = [
    ['[abc', 'error parsing regexp: missing closing ]: `[abc`'],
    ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['(a{100}){100}', 'error parsing regexp: invalid repeat count: `{100}`'],
    ['a)', 'error parsing regexp: unexpected ): `a)`'],
    ['[b-a]', 'error parsing regexp: invalid character class range: `b-a`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['[]a', 'error parsing regexp: missing closing ]: `[]a`'],
    ['a{2}{3}', 'error parsing regexp: invalid nested repetition operator: `{2}{3}`'],
  ];
  it.each(wrong)('rejects %s', (expression, message) => {
    expect(goRegExpProblem(expression)).toBe(message);
    expect(() => goRegExp(expression)).toThrow(GoRegExpError);
  });

  it.each([
    '^[a-z]+$',
    '^(?:a|b){1,3}$',
    '^[^/]{3}x*?$',
    '[\\w-.]',
    '^*',
    'a{,5}',
    '[]a]',
    '(?P<n>a)',
    `${'[^d]'.repeat(40)}\\p{L}`,
  ])('accepts %s', (expression) => {
    expect(goRegExpProblem(expression)).toBeUndefined();
    expect(goRegExp(expression)).toBeDefined();
  });
});
