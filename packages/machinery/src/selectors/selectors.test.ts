import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import { StatusError } from '../errors/status-error.ts';
import type { JsonObject } from '../json/value.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { labelSelectorOf, validateLabelSelector } from './label-selector-object.ts';

function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect((error as StatusError).code).toBe(400);
    expect(error).toBeInstanceOf(StatusError);
    return (error as Error).message;
  }
  return 'accepted';
}

const nameRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

describe('label selectors', () => {
  it.each<[string, JsonObject | undefined, boolean]>([
    ['', undefined, true],
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'c' }, false],
    ['a!=b', {}, true],
    ['a!=b', undefined, true],
    ['a', { a: '' }, true],
    ['a', { b: '' }, false],
    ['!a', { b: '' }, true],
    ['a in (b, c)', { a: 'c' }, true],
    ['a in (b,)', { a: '' }, true],
    ['a notin (b,c)', { a: 'd' }, true],
    ['a notin (b,c)', {}, true],
    ['n>1', { n: '2' }, true],
    ['n>1', { n: 'x' }, false],
    ['n<3', { n: '10' }, false],
    ['n>9223372036854775806', { n: '9223372036854775807' }, true],
    ['a=b,c!=d', { a: 'b', c: 'd' }, false],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['constructor', {}, false],
    ['toString notin (x)', {}, true],
  ])('%s matches %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it.each([
    ['=', "found '=', expected: !, identifier, or 'end of string'"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a,', "found '', expected: identifier after ','"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=!', "unable to parse requirement: found '!', expected: identifier"],
    ['-bad-=x', `unable to parse requirement: <nil>: Invalid value: "-bad-": ${nameRule}`],
    [
      'n>abc',
      "unable to parse requirement: values[0]: Invalid value: \"abc\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('rejects %s', (text, message) => {
    expect(refusal(() => parseLabelSelector(text))).toBe(message);
  });

  it('sorts requirements by key, and values when written', () => {
    const selector = parseLabelSelector('z, b in (y,x,x), !a');
    expect(selector.toString()).toBe('!a,b in (x,y),z');
    expect(parseLabelSelector(selector.toString()).toString()).toBe(selector.toString());
  });

  it('reports exact requirements', () => {
    const selector = parseLabelSelector('a=1,b in (2),c in (3,4),d!=5');
    expect(['a', 'b', 'c', 'd', 'e'].map((label) => selector.requiresExactMatch(label))).toEqual([
      '1',
      '2',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('selector objects', () => {
  it.each<[JsonObject | undefined, string, boolean]>([
    [undefined, '', false],
    [{}, '', true],
    [{ matchLabels: { b: '1', a: '2' } }, 'a=2,b=1', false],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['y', 'x'] }] }, 'a notin (x,y)', false],
    [
      {
        matchExpressions: [
          { key: 'a', operator: 'DoesNotExist' },
          { key: 'b', operator: 'Exists' },
        ],
      },
      '!a,b',
      false,
    ],
  ])('%j', (object, text, everything) => {
    const selector = labelSelectorOf(object);
    expect(selector.toString()).toBe(text);
    expect(selector.everything).toBe(everything);
    expect(selector.matches({})).toBe(everything || text === 'a notin (x,y)');
  });

  it('rejects unknown operators and invalid values', () => {
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'Like' }] })).toThrow(
      '"Like" is not a valid label selector operator',
    );
    expect(() => labelSelectorOf({ matchExpressions: [{ key: 'a', operator: 'In' }] })).toThrow(
      "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty",
    );
  });

  it('validates selectors in objects', () => {
    const errors = new FieldErrors();
    const matchExpressions = [
      { key: 'a', operator: 'In' },
      { key: '', operator: 'Exists', values: ['-'] },
      { key: 'a', operator: 'Like' },
    ];
    validateLabelSelector(
      { matchLabels: { '-': 'x' }, matchExpressions: matchExpressions as JsonObject[] },
      path('spec', 'selector'),
      errors,
    );
    expect(errors.list.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'spec.selector.matchLabels FieldValueInvalid',
      'spec.selector.matchExpressions[0].values FieldValueRequired',
      'spec.selector.matchExpressions[1].values FieldValueForbidden',
      'spec.selector.matchExpressions[1].key FieldValueInvalid',
      'spec.selector.matchExpressions[1].key FieldValueInvalid',
      'spec.selector.matchExpressions[1].values[0] FieldValueInvalid',
      'spec.selector.matchExpressions[2].operator FieldValueInvalid',
    ]);
  });
});

describe('field selectors', () => {
  it.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    ['metadata.name=a', { 'metadata.name': 'a' }, true],
    ['metadata.name==a', { 'metadata.name': 'b' }, false],
    ['a!=1,b=2', { a: '2', b: '2' }, true],
    ['a=', {}, true],
    ['a=x\\,y\\=z\\\\', { a: 'x,y=z\\' }, true],
    ['=', { a: '1' }, true],
  ])('%s matches %j: %s', (text, fields, expected) => {
    expect(parseFieldSelector(text).matches((field) => fields[field] ?? '')).toBe(expected);
  });

  it.each([
    ['nope', "invalid selector: 'nope'; can't understand 'nope'"],
    ['a=1,nope', "invalid selector: 'a=1,nope'; can't understand 'nope'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\b', 'invalid field selector: invalid escape sequence: \\b'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
  ])('rejects %s', (text, message) => {
    expect(refusal(() => parseFieldSelector(text))).toBe(message);
  });

  it('lists its requirements and reports exact ones', () => {
    const selector = parseFieldSelector('b==2,a!=1\\,');
    expect(selector.requirements).toEqual([
      { field: 'a', operator: '!=', value: '1,' },
      { field: 'b', operator: '=', value: '2' },
    ]);
    expect(selector.requiresExactMatch('b')).toBe('2');
    expect(selector.requiresExactMatch('a')).toBeUndefined();
    expect(selector.toString()).toBe('a!=1\\,,b=2');
  });
});

describe('selectors with many requirements', () => {
  const terms = (count: number, make: (i: number) => string) => Array.from({ length: count }, (_, i) => make(i)).join(',');

  it.each<[string, JsonObject | undefined, boolean]>([
    [terms(100, (i) => `k${i}!=v`), { k1: 'w', other: 'v' }, true],
    [terms(100, (i) => `k${i}!=v`), { k99: 'v' }, false],
    [terms(100, (i) => `k!=v${i}`), { k: 'v99' }, false],
    [terms(100, (i) => `k!=v${i}`), undefined, true],
    [`k=v100,${terms(100, (i) => `k!=v${i}`)}`, { k: 'v100' }, true],
    [`k=v100,${terms(100, (i) => `k!=v${i}`)}`, {}, false],
    [terms(100, () => 'k=v'), { k: 'v' }, true],
    [terms(100, (i) => `k=v${i}`), { k: 'v1' }, false],
    [`!a,b,${terms(100, (i) => `k notin (v${i},w)`)}`, { b: '' }, true],
    [`!a,b,${terms(100, (i) => `k notin (v${i},w)`)}`, { b: '', a: '' }, false],
    [`n>1,n<9,n>3,${terms(100, (i) => `n!=${i + 5}`)}`, { n: '4' }, true],
    [`n>1,n<9,n>3,${terms(100, (i) => `n!=${i + 5}`)}`, { n: '3' }, false],
    [terms(100, (i) => `!k${i}`), { constructor: 'x' }, true],
  ])('%s matches %j: %s', (text, labels, expected) => {
    expect(parseLabelSelector(text).matches(labels)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    [terms(100, (i) => `a!=${i}`), '100', true],
    [terms(100, (i) => `a!=${i}`), '99', false],
    [`a=100,${terms(100, (i) => `a!=${i}`)}`, '100', true],
    [terms(100, (i) => `a=${i}`), '1', false],
    [terms(100, () => 'a=1'), '1', true],
  ])('fields: %s matches %s: %s', (text, value, expected) => {
    expect(parseFieldSelector(text).matches(() => value)).toBe(expected);
  });

  const tooLong = 'selector too long: at most 1000 requirements and 10000 values are allowed';
  it.each([
    ['labels', () => parseLabelSelector(terms(1001, (i) => `k${i}!=v`))],
    ['values', () => parseLabelSelector(`k in (${terms(10_001, (i) => `v${i}`)})`)],
    ['values that repeat', () => parseLabelSelector(`k in (${terms(100_000, () => 'v')})`)],
    ['fields', () => parseFieldSelector(terms(1001, (i) => `a!=${i}`))],
  ])('are rejected: %s', (_, parse) => {
    expect(refusal(parse)).toBe(tooLong);
  });
});
