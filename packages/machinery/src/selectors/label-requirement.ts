import { FieldErrors } from '../errors/field-errors.ts';
import { type FieldPath, path } from '../errors/field-path.ts';
import type { JsonObject } from '../json/value.ts';
import { isQualifiedName, isValidLabelValue } from '../meta/validation/labels.ts';
import type { LabelOperator, LabelRequirement } from './selector.ts';

type Labels = JsonObject | undefined;
type Matcher = (labels: Labels) => boolean;

const valuesPath = path('values');
const maxInt64 = 2n ** 63n - 1n;
const minInt64 = -(2n ** 63n);

/** Validates a requirement. Throws an Error that lists all problems. */
export function labelRequirement(key: string, operator: LabelOperator, values: readonly string[]): LabelRequirement {
  const errors = new FieldErrors();
  validateKey(key, path('key'), errors);
  validateCount(operator, values, errors);
  if (operator === 'gt' || operator === 'lt') validateIntegers(values, errors);
  values.forEach((value, position) => {
    const messages = isValidLabelValue(value);
    if (messages.length > 0) errors.invalid(valuesPath.index(position).key(key), value, messages.join('; '));
  });
  if (errors.length > 0) throw new Error(errors.toString());
  return { key, operator, values };
}

export function validateKey(key: string, at: FieldPath | undefined, errors: FieldErrors): void {
  const messages = isQualifiedName(key);
  if (messages.length > 0) errors.invalid(at, key, messages.join('; '));
}

function validateCount(operator: LabelOperator, values: readonly string[], errors: FieldErrors): void {
  const complaint = countComplaint(operator, values.length);
  if (complaint !== undefined) errors.invalid(valuesPath, [...values], complaint);
}

function countComplaint(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function validateIntegers(values: readonly string[], errors: FieldErrors): void {
  values.forEach((value, position) => {
    if (parseInt64(value) !== undefined) return;
    errors.invalid(valuesPath.index(position), value, "for 'Gt', 'Lt' operators, the value must be an integer");
  });
}

export function requirementText({ key, operator, values }: LabelRequirement): string {
  const sorted = values.length > 1 ? [...values].sort().join(',') : (values[0] ?? '');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${sorted})`;
    case 'gt':
      return `${key}>${sorted}`;
    case 'lt':
      return `${key}<${sorted}`;
    default:
      return `${key}${operator}${sorted}`;
  }
}

/** Compiles a requirement to a specialized matcher. */
export function compileRequirement({ key, operator, values }: LabelRequirement): Matcher {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return isOneOf(key, values);
    case '!=':
    case 'notin':
      return isNoneOf(key, values);
    case 'exists':
      return (labels) => labels !== undefined && typeof labels[key] === 'string';
    case '!':
      return (labels) => labels === undefined || typeof labels[key] !== 'string';
    case 'gt':
      return compares(key, values, (label, value) => label > value);
    case 'lt':
      return compares(key, values, (label, value) => label < value);
  }
}

function isOneOf(key: string, values: readonly string[]): Matcher {
  const [only] = values;
  if (values.length === 1) return (labels) => labels !== undefined && labels[key] === only;
  const allowed = new Set<unknown>(values);
  return (labels) => labels !== undefined && allowed.has(labels[key]);
}

/** Also matches objects without the label. */
function isNoneOf(key: string, values: readonly string[]): Matcher {
  const excluded = isOneOf(key, values);
  return (labels) => !excluded(labels);
}

function compares(key: string, values: readonly string[], compare: (label: bigint, value: bigint) => boolean): Matcher {
  const value = parseInt64(values[0] ?? '');
  return (labels) => {
    const label = labels?.[key];
    if (typeof label !== 'string' || value === undefined) return false;
    const number = parseInt64(label);
    return number !== undefined && compare(number, value);
  };
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]{1,64}$/.test(text)) return undefined;
  const number = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return number > maxInt64 || number < minInt64 ? undefined : number;
}
