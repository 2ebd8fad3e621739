import { describe, expect, it } from 'vitest';

const { alternatives, problemOf } = await import('../../scripts/check-regexes.mjs' as string);

/** The problem of a regular expression, as `npm run check:regexes` prints it. */
function found(regex: RegExp, reason?: string): string | undefined {
  return problemOf({ source: regex.source, flags: regex.flags, text: String(regex), reason });
}

describe('check:regexes', () => {
  it.each([
    ['exponential', /^(a+)+$/, /exponential/],
    ['polynomial', /^a*a*$/, /2nd degree polynomial/],
    ['unanchored', /a+$/, /2nd degree polynomial/],
    ['replacement at the end of a string', / +$/g, /2nd degree polynomial/],
    ['an alternative that fails slowly at every position', /\[[^\]]+\]|\[|[^[]+/g, /2nd degree polynomial/],
    ['with a backreference', /^(a*)b\1$/, /no proof/],
  ])('%s', (_, regex, problem) => {
    expect(found(regex)).toMatch(problem);
    expect(found(regex, 'bounded by something')).toBeUndefined();
  });

  it.each([[/^[a-z]+(?:-+[a-z]+)*$/], [/[^a-z]/g], [/^\d*(?:\.\d*)?$/], [/a{1,3}/]])('%s is linear', (regex) => {
    expect(found(regex)).toBeUndefined();
  });

  it('a pattern that is not constant needs a reason', () => {
    expect(problemOf({ source: undefined, flags: '', text: 'new RegExp(given)' })).toBe('new RegExp(given): not a constant');
  });

  it('splits alternatives outside of groups and character classes', () => {
    expect(alternatives('a|(b|c)|[|]|\\|')).toEqual(['a', '(b|c)', '[|]', '\\|']);
  });
});
