import { stringifyJson } from '../json/stringify.ts';
import type { JsonObject } from '../schema/type.ts';
import { RecentTexts } from '../text/recent-texts.ts';
import { type FieldSet, sortedSet } from './field-set.ts';

/**
 * Thousands of objects are written by few programs, so that few sets of fields are those of almost all entries: each is
 * read once. Known sets are frozen, and their text is at hand.
 */
const known = new RecentTexts<FieldSet>(512 * 1024);
const maxShared = 32 * 1024;
const texts = new WeakMap<FieldSet, string>();

/** The set with this text, which is in the form in which sets are stored. */
export function knownFields(text: string): FieldSet {
  return known.get(text) ?? remember(text, JSON.parse(text) as FieldSet);
}

/** The same set in the order in which it is written, with a text. */
export function knownForm(set: FieldSet): FieldSet {
  if (isKnown(set)) return set;
  const sorted = sortedSet(set);
  const text = stringifyJson(sorted as unknown as JsonObject);
  return known.get(text) ?? remember(text, sorted);
}

export function isKnown(set: FieldSet): boolean {
  return texts.has(set);
}

/** Only of sets that are known. */
export function textOfFields(set: FieldSet): string {
  return texts.get(set) as string;
}

function remember(text: string, set: FieldSet): FieldSet {
  // A set that is too large to be kept is shared with nobody.
  if (text.length <= maxShared) freeze(set);
  texts.set(set, text);
  known.set(text, set);
  return set;
}

function freeze(set: FieldSet): void {
  if (Object.isFrozen(set)) return;
  for (const element in set) freeze(set[element] as FieldSet);
  Object.freeze(set);
}
