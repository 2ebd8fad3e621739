import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { CelError, type CelValue } from '../values/value.ts';

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
