import { type FieldSet, isEmptySet, type MutableFieldSet, noFields, recursiveDifference } from './field-set.ts';
import { self } from './path-element.ts';

/** Paths of which a write can change all that is at their ends, `*` standing for any element. An end is empty. */
export interface FieldPattern {
  readonly [element: string]: FieldPattern;
}

/** What a write of some kind can change: nobody gets to own anything else by it. */
export interface Ownable {
  of(fields: FieldSet): FieldSet;
  /** Where it is all but some paths and what is below them: those. */
  readonly allBut: FieldSet | undefined;
}

/** Everything but some paths, and what is below them. */
export function allBut(reset: FieldSet): Ownable {
  return { of: isEmptySet(reset) ? (fields) => fields : (fields) => recursiveDifference(fields, reset), allBut: reset };
}

/** Only what fits a pattern, and the paths that lead there. */
export function only(pattern: FieldPattern): Ownable {
  return { of: (fields) => matching(fields, pattern) ?? noFields, allBut: undefined };
}

function matching(fields: FieldSet, pattern: FieldPattern): FieldSet | undefined {
  let found: MutableFieldSet | undefined;
  for (const element in fields) {
    const part = fields[element] as FieldSet;
    const below = element === self ? undefined : (pattern[element] ?? pattern['*']);
    if (element !== self && below === undefined) continue;
    const kept = below === undefined || isEmptySet(below) || isEmptySet(part) ? part : matching(part, below);
    if (kept === undefined) continue;
    found ??= {};
    found[element] = kept as MutableFieldSet;
  }
  // A mark of a path is nothing by itself, but all that is left of it.
  return found !== undefined && Object.keys(found).length === 1 && found[self] ? noFields : found;
}
