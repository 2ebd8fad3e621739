import { estimatedDefinitionCostLimit, type FieldErrors, type FieldPath } from '@tsukube/machinery';

const advice =
  'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';

export function costMessage(what: string, cost: number, limit: number): string {
  return `${what} exceeds budget by factor of ${factorText(cost / limit)} (${advice})`;
}

function factorText(factor: number): string {
  if (factor > 100) return 'more than 100x';
  return factor < 1.5 ? `${factor.toFixed(6)}x` : `${factor.toFixed(1)}x`;
}

interface RuleCost {
  readonly at: FieldPath;
  readonly cost: number;
}

/** What the rules of one schema may cost together. */
export class RuleCosts {
  /** Rules of a schema that was accepted are not refused one by one. */
  readonly isForgiving: boolean;
  readonly #at: FieldPath;
  #total = 0;
  #mostExpensive: readonly RuleCost[] = [];

  constructor(at: FieldPath, isForgiving: boolean) {
    this.#at = at;
    this.isForgiving = isForgiving;
  }

  add(at: FieldPath, cost: number): void {
    this.#total += cost;
    if (cost < estimatedDefinitionCostLimit / 100) return;
    this.#mostExpensive = [...this.#mostExpensive, { at, cost }].sort((a, b) => b.cost - a.cost).slice(0, 4);
  }

  reportTotal(errors: FieldErrors): void {
    if (this.#total <= estimatedDefinitionCostLimit) return;
    for (const { at } of this.#mostExpensive)
      errors.forbidden(at, 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema');
    const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    errors.forbidden(this.#at, costMessage(what, this.#total, estimatedDefinitionCostLimit));
  }
}
