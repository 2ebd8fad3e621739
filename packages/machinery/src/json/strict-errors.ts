import { goQuote } from '../text/go-quote.ts';
import { maxStrictErrors, pathsOfKeys } from './exact-parser.ts';

const duplicatePrefix = 'duplicate field "';
const unknownPrefix = 'unknown field "';

/**
 * Strict decoding errors of an object parsed from `text`: duplicate and unknown fields in document order.
 * Duplicates inside an unknown field are not reported.
 */
export function strictErrors(duplicates: readonly string[], unknown: readonly string[], text: Uint8Array): readonly string[] {
  if (duplicates.length === 0) return unknown.length > maxStrictErrors ? unknown.slice(0, maxStrictErrors) : unknown;
  const known = duplicates.filter((duplicate) => !unknown.some((field) => isWithin(duplicate, field)));
  const ordered = unknown.length === 0 ? known : inDocumentOrder(known, unknown, text);
  return ordered.slice(0, maxStrictErrors);
}

function isWithin(duplicate: string, unknown: string): boolean {
  const path = duplicate.slice(duplicatePrefix.length, -1);
  const outer = unknown.slice(unknownPrefix.length, -1);
  if (!path.startsWith(outer)) return false;
  const next = path[outer.length];
  return next === undefined || next === '.' || next === '[';
}

/** An unknown field is found where it first occurs, a repeated one where it occurs again. */
function inDocumentOrder(duplicates: readonly string[], unknown: readonly string[], text: Uint8Array): readonly string[] {
  const problems = new Set([...duplicates, ...unknown]);
  const names = new Set([...problems].map(lastName));
  const seen = new Set<string>();
  const ordered = new Set<string>();
  for (const path of pathsOfKeys(text, (key) => names.has(key) || key.includes('.'))) {
    const quoted = goQuote(path);
    const problem =
      seen.has(path) && problems.has(`duplicate field ${quoted}`) ? `duplicate field ${quoted}` : `unknown field ${quoted}`;
    if (problems.has(problem)) ordered.add(problem);
    seen.add(path);
  }
  return [...ordered, ...[...problems].filter((problem) => !ordered.has(problem))];
}

/** The key at the end of a path, if it has no dot itself. */
function lastName(problem: string): string {
  const path = problem.slice(problem.indexOf('"') + 1, -1);
  return path.slice(path.lastIndexOf('.') + 1);
}
