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
const maxKnown = 1_024;
let engine: typeof RE2JS | undefined;

/** Fails with GoRegExpError. Expressions are kept, so that compiling one again costs nothing. */
export function goRegExp(expression: string): GoRegExp {
  let compiled = known.get(expression);
  if (compiled === undefined) {
    compiled = compile(expression);
    const [oldest] = known.keys();
    if (known.size >= maxKnown && oldest !== undefined) known.delete(oldest);
    known.set(expression, compiled);
  }
  return compiled;
}

/** Why a text is no regular expression, in Go's words; undefined if it is one. Nothing is kept of it. */
export function goRegExpProblem(expression: string): string | undefined {
  if (known.has(expression) || isPlain(expression)) return undefined;
  try {
    compile(expression);
    return undefined;
  } catch (error) {
    if (!(error instanceof GoRegExpError)) throw error;
    return error.message;
  }
}

/** No text can be divided into these parts in two ways: backtracking would take exponential time. */
// regex: bounded, at most maxPlainLength characters.
const plainParts =
  /^(?:[A-Za-z0-9 _/,:;@%&=!~#'"<>.^$|*+?)-]|\((?:\?:|(?!\?))|\\[dws.\\/*+?()[\]{}^$|-]|\[\^?(?!\^)(?:[A-Za-z0-9 _/,:;@%&=!~#'"<>.$|*+?(){}^-]|\\[.\\/*+?()[\]{}^$|-])+\]|\{\d{1,3}\})*$/;
const maxPlainLength = 1_000;
const maxCounted = 1_000;

/**
 * Whether an expression is right beyond doubt: it is made of what means the same to Go and to JavaScript, and JavaScript
 * takes it. Compiling it for real takes a thousand times as long, and most patterns of schemas are of this kind.
 */
function isPlain(expression: string): boolean {
  if (expression.length > maxPlainLength || !plainParts.test(expression)) return false;
  const counts = [...expression.matchAll(/\{(\d+)\}/g)];
  if (counts.reduce((product, [, count]) => product * Number(count), 1) > maxCounted) return false;
  try {
    // regex: compiled to learn whether it is valid, never matched.
    return Boolean(new RegExp(expression));
  } catch {
    return false;
  }
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
