import type { JsonValue } from '../../json/value.ts';
import { goQuote } from '../../text/go-quote.ts';
import type { SchemaNode, ValueRules } from '../schema/schema-node.ts';
import type { ValidationBudget } from './budget.ts';
import { checkOf } from './check.ts';
import { explain } from './explain.ts';
import { Findings } from './finding.ts';

/** Errors of anyOf, oneOf, allOf and not. If all alternatives fail, reports the one that passed most checks. */
export function explainCombinations(
  values: ValueRules | undefined,
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
): Findings {
  const found = new Findings();
  if (values !== undefined) {
    if (values.anyOf.length > 0) explainAnyOf(values.anyOf, value, name, budget, found);
    if (values.oneOf.length > 0) explainOneOf(values.oneOf, value, name, budget, found);
    if (values.allOf.length > 0) explainAllOf(values.allOf, value, name, budget, found);
    if (values.not !== undefined && checkOf(values.not)(value, budget))
      found.add({ message: `${goQuote(name)} must not validate the schema (not)` });
  }
  found.matches++;
  return found;
}

function explainAnyOf(
  choices: readonly SchemaNode[],
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
  found: Findings,
): void {
  let best: Findings | undefined;
  for (const choice of choices) {
    const result = explain(choice, value, name, budget);
    if (result.valid) {
      found.merge(result);
      return;
    }
    if (best === undefined || result.matches > best.matches) best = result;
  }
  found.add({ message: `${goQuote(name)} must validate at least one schema (anyOf)` });
  if (best !== undefined) found.merge(best);
}

function explainOneOf(
  choices: readonly SchemaNode[],
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
  found: Findings,
): void {
  let best: Findings | undefined;
  let first: Findings | undefined;
  let valid = 0;
  for (const choice of choices) {
    const result = explain(choice, value, name, budget);
    if (result.valid) {
      valid++;
      first ??= result;
      best = undefined;
    } else if (valid === 0 && (best === undefined || result.matches > best.matches)) best = result;
  }
  if (valid === 1 && first !== undefined) {
    found.merge(first);
    return;
  }
  const how = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
  found.add({ message: `${goQuote(name)} must validate one and only one schema (oneOf). ${how}` });
  if (best !== undefined) found.merge(best);
}

function explainAllOf(
  parts: readonly SchemaNode[],
  value: JsonValue,
  name: string,
  budget: ValidationBudget,
  found: Findings,
): void {
  let valid = 0;
  for (const part of parts) {
    const result = explain(part, value, name, budget);
    if (result.valid) valid++;
    found.merge(result);
  }
  if (valid === parts.length) return;
  found.add({ message: `${goQuote(name)} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}` });
}
