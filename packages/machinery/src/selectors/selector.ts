import type { JsonObject } from '../json/value.ts';

export type LabelOperator = '=' | '==' | 'in' | '!=' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Selects objects by their labels. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  /** Matches every object. */
  readonly everything: boolean;
  matches(labels: JsonObject | undefined): boolean;
  /** The only value that a label may have, if the selector requires one. */
  requiresExactMatch(label: string): string | undefined;
  toString(): string;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Selects objects by field values; a missing field is the empty string. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly everything: boolean;
  matches(fieldValue: (field: string) => string): boolean;
  /** The only value that a field may have, if the selector requires one. */
  requiresExactMatch(field: string): string | undefined;
  toString(): string;
}

/** Limit of requirements in the selector of a query. Real clients send a handful. */
export const maxTerms = 1_000;

/** Limit of values in all sets (`in`, `notin`) of a selector, which watches hold in memory. */
const maxValues = 10_000;

export function tooManyTerms(): Error {
  return new Error(`selector too long: at most ${maxTerms} requirements and ${maxValues} values are allowed`);
}

/** Counts requirements and values while parsing. */
export class SelectorSize {
  #terms = 0;
  #values = 0;

  /** Throws an Error beyond the limits. */
  add(values: number): void {
    this.#values += values;
    if (++this.#terms > maxTerms || this.#values > maxValues) throw tooManyTerms();
  }
}
