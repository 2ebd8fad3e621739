import { declare, type Library, memberOverload } from '../check/declarations.ts';
import { intType, listType, stringType } from '../types/type.ts';
import type { Int } from '../values/integer.ts';
import { ArrayList, CelError, type CelValue } from '../values/value.ts';
import { compilePattern } from './regex-engine.ts';

const strings = listType(stringType);

function find(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const matcher = compiled.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

/** All matches, or the first `limit` of them; an empty match just behind another does not count. */
function findAll(text: string, pattern: string, limit: Int): CelValue {
  const compiled = compilePattern(pattern);
  if (compiled instanceof CelError) return new CelError(`Illegal regex: ${compiled.message}`);
  const matcher = compiled.matcher(text);
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

export const regexLibrary: Library = {
  functions: [
    declare(
      'find',
      memberOverload('string_find_string', [stringType, stringType], stringType, (text, pattern) =>
        find(text as string, pattern as string),
      ),
    ),
    declare(
      'findAll',
      memberOverload('string_find_all_string', [stringType, stringType], strings, (text, pattern) =>
        findAll(text as string, pattern as string, -1),
      ),
      memberOverload('string_find_all_string_int', [stringType, stringType, intType], strings, (text, pattern, limit) =>
        findAll(text as string, pattern as string, limit as Int),
      ),
    ),
  ],
};
