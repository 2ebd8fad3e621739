import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

/** A regular expression in Go's syntax. Matching takes time in proportion to the text, whatever the expression. */
export interface GoRegExp {
  /** Whether the expression matches somewhere in the text. */
  matches(text: string): boolean;
}

/** The text is no regular expression; the message is the one Go gives. */
export class GoRegExpError extends Error {
  override readonly name = 'GoRegExpError';
}

const known = new Map<string, GoRegExp>();
const maxKnown = 4_096;
let engine: typeof RE2JS | undefined;

/** Fails with GoRegExpError. Expressions are kept, so that compiling one again costs nothing. */
export function goRegExp(expression: string): GoRegExp {
  let compiled = known.get(expression);
  if (compiled === undefined) {
    compiled = compile(expression);
    if (known.size >= maxKnown) known.clear();
    known.set(expression, compiled);
  }
  return compiled;
}

/** Loading the engine takes a while, and most servers start without needing it. */
function compile(expression: string): GoRegExp {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  try {
    const compiled = engine.compile(expression);
    return { matches: (text) => compiled.test(text) };
  } catch (error) {
    throw new GoRegExpError(error instanceof Error ? error.message : String(error));
  }
}
