import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { intType, listType, stringType } from '../types/type.ts';
import { ArrayList, CelError, type CelValue, type Int } from '../values/value.ts';
import { type CelLibrary, declare, memberOverload } from './declarations.ts';

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

export const regexLibrary: CelLibrary = {
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

const known = new Map<string, RE2JS | CelError>();
const maxKnown = 1_000;
let engine: typeof RE2JS | undefined;

/** A pattern in Go's syntax, or the error that it is. */
export function compilePattern(pattern: string): RE2JS | CelError {
  let compiled = known.get(pattern);
  if (compiled === undefined) {
    compiled = compile(pattern);
    if (known.size >= maxKnown) known.clear();
    known.set(pattern, compiled);
  }
  return compiled;
}

/** The engine is large, and most expressions have no pattern. */
function compile(pattern: string): RE2JS | CelError {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  try {
    return engine.compile(pattern);
  } catch (error) {
    return new CelError(error instanceof Error ? error.message : String(error));
  }
}

export function matchesPattern(text: string, pattern: string): CelValue {
  const compiled = compilePattern(pattern);
  return compiled instanceof CelError ? compiled : compiled.test(text);
}
