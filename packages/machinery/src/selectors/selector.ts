import type { JsonObject } from '../json/value.ts';

export type LabelOperator = '=' | '==' | 'in' | '!=' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Chooses objects by their labels. */
export interface LabelSelector {
  readonly requirements: readonly LabelRequirement[];
  /** Chooses everything. */
  readonly everything: boolean;
  matches(labels: JsonObject | undefined): boolean;
  /** The one value that a label must have to be chosen, if there is one. */
  requiresExactMatch(label: string): string | undefined;
  toString(): string;
}

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Chooses objects by fields whose values are asked for by name; a field that an object lacks is the empty string. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  readonly everything: boolean;
  matches(fieldValue: (field: string) => string): boolean;
  /** The one value that a field must have to be chosen, if there is one. */
  requiresExactMatch(field: string): string | undefined;
  toString(): string;
}

/** Requirements of one selector in a query. Selectors of real clients have a handful. */
export const maxTerms = 1_000;

/** Values of all sets (`in`, `notin`) of one selector in a query. Watches keep them for as long as they last. */
const maxValues = 10_000;

export function tooManyTerms(): Error {
  return new Error(`selector too long: at most ${maxTerms} requirements and ${maxValues} values are allowed`);
}

/** Counts what a selector asks for while it is parsed. */
export class SelectorSize {
  #terms = 0;
  #values = 0;

  /** Fails with an Error beyond the limits. */
  add(values: number): void {
    this.#values += values;
    if (++this.#terms > maxTerms || this.#values > maxValues) throw tooManyTerms();
  }
}
