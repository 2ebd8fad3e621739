import { type FieldSet, isEmptySet, recursiveDifference } from './field-set.ts';

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
