import type { JsonObject } from '../schema/type.ts';

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
