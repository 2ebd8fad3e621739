import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { BoundedCache } from '../cache/bounded-cache.ts';

/** A regular expression in Go's syntax (RE2). Matching is linear in the text. */
export interface GoRegExp {
  /** Whether it matches anywhere in the text. */
  matches(text: string): boolean;
  /** The compiled expression, for matchers with positions and groups. */
  readonly re2: RE2JS;
}

/** Invalid regular expression; the message equals Go's. */
export class GoRegExpError extends Error {
  override readonly name = 'GoRegExpError';
}

const known = new BoundedCache<string, GoRegExp | GoRegExpError>({ entries: 1_024 });
let engine: typeof RE2JS | undefined;

/** Compiles with a cache. Throws GoRegExpError. */
export function goRegExp(expression: string): GoRegExp {
  let compiled = known.get(expression);
  if (compiled === undefined) {
    compiled = compile(expression);
    known.set(expression, compiled);
  }
  if (compiled instanceof GoRegExpError) throw compiled;
  return compiled;
}

/** Go's error for an invalid regular expression; undefined if it is valid. Not cached. */
export function goRegExpProblem(expression: string): string | undefined {
  if (isPlain(expression)) return undefined;
  const compiled = known.get(expression) ?? compile(expression);
  return compiled instanceof GoRegExpError ? compiled.message : undefined;
}

/** Unambiguous, so that it cannot backtrack exponentially. */
// regex: bounded, at most maxPlainLength characters.
const plainParts =
  /^(?:[A-Za-z0-9 _/,:;@%&=!~#'"<>.^$|*+?)-]|\((?:\?:|(?!\?))|\\[dws.\\/*+?()[\]{}^$|-]|\[\^?(?!\^)(?:[A-Za-z0-9 _/,:;@%&=!~#'"<>.$|*+?(){}^-]|\\[.\\/*+?()[\]{}^$|-])+\]|\{\d{1,3}\})*$/;
const maxPlainLength = 1_000;
const maxCounted = 1_000;

/**
 * Whether an expression is certainly valid: it uses only syntax that means the same in Go and JavaScript, and JavaScript
 * accepts it. Compiling it with RE2 takes a thousand times as long, and most patterns in schemas are of this kind.
 */
function isPlain(expression: string): boolean {
  if (expression.length > maxPlainLength || !plainParts.test(expression)) return false;
  const counts = [...expression.matchAll(/\{(\d+)\}/g)];
  if (counts.reduce((product, [, count]) => product * Number(count), 1) > maxCounted) return false;
  try {
    // regex: compiled only to validate it, never matched.
    return Boolean(new RegExp(expression));
  } catch {
    return false;
  }
}

/** Loads the engine on first use: most servers start without it. */
function compile(expression: string): GoRegExp | GoRegExpError {
  engine ??= (createRequire(import.meta.url)('re2js') as { RE2JS: typeof RE2JS }).RE2JS;
  try {
    const re2 = engine.compile(expression);
    return { re2, matches: (text) => re2.test(text) };
  } catch (error) {
    return new GoRegExpError(error instanceof Error ? error.message : String(error));
  }
}
