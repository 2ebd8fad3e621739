import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../json/value.ts';
import { compile } from './compile.ts';
import { createEnvironment } from './environment.ts';
import { dynType } from './types/type.ts';
import { dynamicJson } from './values/json.ts';

const environment = createEnvironment({ variables: { self: dynType } });
const soon = 10_000;

function problemOf(expression: string): string {
  const compiled = compile(expression, environment);
  return compiled.ok ? '' : compiled.text.slice(0, 200);
}

function run(expression: string, self: JsonValue): string {
  const compiled = compile(expression, environment);
  if (!compiled.ok) return compiled.text;
  const outcome = compiled.evaluate({ self: dynamicJson(self) });
  compiled.estimateCost();
  return outcome.ok ? 'done' : outcome.error;
}

const tooDeep = 'expression recursion limit exceeded: 250';
const tooMuch = 'operation cancelled: actual cost limit exceeded';
const deep = 10_000;
const long = 'a'.repeat(1_000_000);
const many = (count: number): JsonValue[] => Array.from({ length: count }, (_, i) => ({ a: i }));

describe('an expression beyond the limits is rejected quickly', { timeout: soon }, () => {
  it.each([
    ['parentheses', `${'('.repeat(deep)}1${')'.repeat(deep)}`, tooDeep],
    ['lists', `${'['.repeat(deep)}${']'.repeat(deep)}`, tooDeep],
    ['maps', `${'{1:'.repeat(deep)}1${'}'.repeat(deep)}`, tooDeep],
    ['choices', `${'true?1:'.repeat(deep)}1`, tooDeep],
    ['selections', `self${'.a'.repeat(40_000)}`, tooDeep],
    ['indices', `self${'[0]'.repeat(30_000)}`, tooDeep],
    ['sums', `1${'+1'.repeat(49_000)}`, tooDeep],
    ['comparisons', `1${'==1'.repeat(30_000)}`, tooDeep],
    ['calls', `${'size('.repeat(deep)}1${')'.repeat(deep)}`, tooDeep],
    ['operators of several kinds', `self${'.a'.repeat(200)}${'+1'.repeat(100)}`, 'max recursion depth exceeded'],
    ['length', ' '.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
    ['copies', `self${'.optMap(x,x)'.repeat(200)}`, 'expression size exceeds limit'],
    ['unknown characters', '@ '.repeat(40_000), "token recognition error at: '@'"],
    ['stray parentheses', ') '.repeat(40_000), 'error recovery token lookahead limit exceeded: 256'],
    ['repetition in patterns', '"a".matches("((a{100}){100}){100}")', 'invalid matches argument'],
    ['groups in patterns', `"a".matches("${'('.repeat(5_000)}${')'.repeat(5_000)}")`, 'invalid matches argument'],
  ])('%s', (_, expression, problem) => {
    expect(problemOf(expression)).toContain(problem);
  });

  it.each([
    ['negations', `${'!'.repeat(50_000)}true`],
    ['terms', `true${'&&true'.repeat(16_000)}`],
    ['elements', `[${'1,'.repeat(49_000)}1]`],
    ['entries', `{${Array.from({ length: 9_000 }, (_, i) => `"k${i}":1`).join(',')}}`],
    ['nested loops', `[1,2,3]${'.map(x,[1,2,3])'.repeat(60)}`],
    ['loops within loops', `${'[1].map(x,'.repeat(100)}1${')'.repeat(100)}`],
  ])('%s are accepted', (_, expression) => {
    expect(run(expression, null)).toBe('done');
  });
});

describe('an evaluation beyond the limits is stopped quickly', { timeout: soon }, () => {
  it.each<[string, string, JsonValue, string]>([
    ['loops', 'self.all(a, self.all(b, self.all(c, true)))', many(1_000), tooMuch],
    ['ranges', 'lists.range(1000000000).map(x, x)', null, tooMuch],
    ['distinct objects', 'self.distinct()', many(100_000), tooMuch],
    ['sets', 'sets.contains(self, self)', many(20_000), tooMuch],
    ['texts that grow', `["a"]${'.map(x, x + x + x + x + x + x + x + x)'.repeat(10)}`, null, tooMuch],
    ['patterns', `self.matches("${'(a|b|c|d)*'.repeat(200)}")`, long.slice(0, 100_000), tooMuch],
    ['patterns that backtrack in other engines', 'self.matches("(a*)*b")', long.slice(0, 100_000), 'done'],
    ['searching', 'self.contains(self)', long, tooMuch],
    ['replacing', 'self.replace("a", self)', long.slice(0, 30_000), 'internal error: the limits of the runtime are exceeded'],
    ['splitting', 'self.split("").size()', long, 'done'],
    ['trimming', 'self.trim()', `${' '.repeat(300_000)}a${' '.repeat(300_000)}b`, 'done'],
    ['numbers', 'double(self)', `${'1'.repeat(1_000_000)}x`, "type conversion error from 'string' to 'double'"],
    ['hexadecimal numbers', 'double(self)', `0x${long}x`, "type conversion error from 'string' to 'double'"],
    ['times', 'timestamp(self)', '2'.repeat(1_000_000), "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
    ['precision', '"%.999999999f".format([1.5])', null, 'done'],
  ])('%s', (_, expression, self, outcome) => {
    expect(run(expression, self)).toBe(outcome);
  });
});
