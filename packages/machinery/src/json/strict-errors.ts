const duplicatePrefix = 'duplicate field "';
const unknownPrefix = 'unknown field "';
/** More than this is not told of one object. */
export const maxStrictErrors = 100;

/**
 * What strict decoding has to say of an object: its repeated fields, then its unknown ones. What is repeated inside of
 * an unknown field is not looked at.
 */
export function strictErrors(duplicates: readonly string[], unknown: readonly string[]): readonly string[] {
  if (duplicates.length === 0) return unknown.length > maxStrictErrors ? unknown.slice(0, maxStrictErrors) : unknown;
  const known = duplicates.filter((duplicate) => !unknown.some((field) => isWithin(duplicate, field)));
  return [...known, ...unknown].slice(0, maxStrictErrors);
}

function isWithin(duplicate: string, unknown: string): boolean {
  const path = duplicate.slice(duplicatePrefix.length, -1);
  const outer = unknown.slice(unknownPrefix.length, -1);
  if (!path.startsWith(outer)) return false;
  const next = path[outer.length];
  return next === undefined || next === '.' || next === '[';
}
