import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import { listIn, mapIn, textIn } from '../json/fields.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { isValidLabelValue, validateLabelName, validateLabels } from '../meta/validation/labels.ts';
import { goQuote } from '../text/go-quote.ts';
import { labelRequirement } from './label-requirement.ts';
import { everyLabel, labelSelector, noLabel } from './label-selector.ts';
import type { LabelOperator, LabelRequirement, LabelSelector } from './selector.ts';

const operators = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * From matchLabels and matchExpressions. As in Kubernetes, an absent selector matches nothing, an empty one everything. Throws
 * Error.
 */
export function labelSelectorOf(selector: JsonObject | undefined): LabelSelector {
  if (selector === undefined) return noLabel;
  const labels = mapIn(selector, 'matchLabels');
  const requirements: LabelRequirement[] = Object.keys(labels).map((key) => labelRequirement(key, '=', [String(labels[key])]));
  for (const expression of listIn(selector, 'matchExpressions')) {
    if (isObject(expression)) requirements.push(requirementOf(expression));
  }
  return requirements.length === 0 ? everyLabel : labelSelector(requirements);
}

function requirementOf(expression: JsonObject): LabelRequirement {
  const name = textIn(expression, 'operator');
  const operator = operators.get(name);
  if (operator === undefined) throw new Error(`${goQuote(name)} is not a valid label selector operator`);
  return labelRequirement(textIn(expression, 'key'), operator, listIn(expression, 'values').map(String));
}

export interface LabelSelectorRules {
  /** Ratcheting: for objects stored before values were validated. */
  readonly allowInvalidValues?: boolean;
  /** For requests that only describe a selector, such as access reviews. */
  readonly allowUnknownOperators?: boolean;
}

/** Validates a selector in an object. */
export function validateLabelSelector(
  selector: JsonObject | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: LabelSelectorRules = {},
): void {
  if (selector === undefined) return;
  validateLabels(mapIn(selector, 'matchLabels'), path.child('matchLabels'), errors);
  listIn(selector, 'matchExpressions').forEach((expression, position) => {
    if (isObject(expression)) validateExpression(expression, path.child('matchExpressions').index(position), errors, rules);
  });
}

function validateExpression(expression: JsonObject, path: FieldPath, errors: FieldErrors, rules: LabelSelectorRules): void {
  const values = listIn(expression, 'values');
  validateOperator(textIn(expression, 'operator'), values.length, path, errors, rules);
  validateLabelName(textIn(expression, 'key'), path.child('key'), errors);
  if (rules.allowInvalidValues) return;
  values.forEach((value, position) => {
    for (const message of isValidLabelValue(String(value))) errors.invalid(path.child('values').index(position), value, message);
  });
}

function validateOperator(name: string, count: number, path: FieldPath, errors: FieldErrors, rules: LabelSelectorRules): void {
  const operator = operators.get(name);
  if (operator === undefined) {
    if (!rules.allowUnknownOperators) errors.invalid(path.child('operator'), name, 'not a valid selector operator');
  } else if (operator === 'in' || operator === 'notin') {
    if (count === 0) errors.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (count > 0) {
    errors.forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  }
}
