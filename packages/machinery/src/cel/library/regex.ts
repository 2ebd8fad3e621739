import { type GoRegExp, GoRegExpError, goRegExp } from '../../text/go-regexp.ts';
import { intType, listType, stringType } from '../types/type.ts';
import { ArrayList, CelError, type CelValue, type Int } from '../values/value.ts';
import { type CelLibrary, declare, memberOverload } from './declarations.ts';

const strings = listType(stringType);

function find(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const matcher = compiled.re2.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** All matches, or the first `limit`. As in Go, an empty match adjacent to the previous one is skipped. */
function findAll(text: string, pattern: string, limit: Int): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const matcher = compiled.re2.matcher(text);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  const found: string[] = [];
  let previousEnd = -1;
  while (found.length < most && matcher.find()) {
    const match = matcher.group() ?? '';
    if (match !== '' || matcher.start() !== previousEnd) found.push(match);
    previousEnd = matcher.end();
  }
  return new ArrayList(found);
}

export const regexLibrary: CelLibrary = {
  functions: [
    declare('find', memberOverload('string_find_string', [stringType, stringType], stringType, find)),
    declare(
      'findAll',
      memberOverload('string_find_all_string', [stringType, stringType], strings, (text: string, pattern: string) =>
        findAll(text, pattern, -1),
      ),
      memberOverload('string_find_all_string_int', [stringType, stringType, intType], strings, findAll),
    ),
  ],
};

/** Compiles an RE2 pattern, with a cache; returns an error value if it is invalid. */
export function compilePattern(pattern: string): GoRegExp | CelError {
  try {
    return goRegExp(pattern);
  } catch (error) {
    if (!(error instanceof GoRegExpError)) throw error;
    return new CelError(error.message);
  }
}

export function matchesPattern(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return compiled instanceof CelError ? compiled : compiled.matches(text);
}
