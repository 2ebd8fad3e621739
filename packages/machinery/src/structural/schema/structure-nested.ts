import type { FieldErrors } from '../../errors/field-errors.ts';
import type { FieldPath } from '../../errors/field-path.ts';
import { textIn } from '../../json/fields.ts';
import type { JsonObject } from '../../json/value.ts';
import { goRegExpProblem } from '../../text/go-regexp.ts';
import { isZero, namedSchemas, nestedSchema, nestedSchemas, property } from './props.ts';
import type { Level } from './structure.ts';

/** Schemas below allOf, anyOf, oneOf and not may contain only value validations. */
const forbidden: readonly (readonly [key: string, message: string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

/** Keywords that are pointers in Go: an empty value counts as set. */
const pointers = new Set(['additionalProperties', 'default', 'x-kubernetes-list-type', 'x-kubernetes-map-type']);

export function validateNested(props: JsonObject, level: Level, at: FieldPath, errors: FieldErrors, skipAnyOf = false): void {
  for (const key of ['anyOf', 'allOf', 'oneOf'])
    if (key !== 'anyOf' || !skipAnyOf)
      for (const [i, each] of nestedSchemas(props, key).entries()) validateNested(each, level, at.child(key).index(i), errors);
  for (const key of ['not', 'items']) {
    const schema = nestedSchema(props, key);
    if (schema !== undefined) validateNested(schema, level, at.child(key), errors);
  }
  validatePattern(props, at, errors);
  for (const [key, each] of namedSchemas(props, 'properties'))
    validateNested(each, 'field', at.child('properties').key(key), errors);
  for (const [key, message] of forbidden) if (isSaid(props, key)) errors.forbidden(at.child(key), message);
  if (namedSchemas(props, 'properties').some(([key]) => key === 'metadata'))
    errors.forbidden(at.child('properties').key('metadata'), 'must not be specified in a nested context');
}

function isSaid(props: JsonObject, key: string): boolean {
  const value = props[key];
  if (key === 'additionalProperties' && value === false) return false;
  return pointers.has(key) ? value !== undefined && value !== null : !isZero(value);
}

export function validatePattern(props: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const pattern = textIn(props, 'pattern');
  const problem = pattern === '' ? undefined : goRegExpProblem(pattern);
  if (problem !== undefined)
    errors.invalid(at.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${problem}`);
}

/**
 * Completeness: every field mentioned in allOf, anyOf, oneOf or not must also be specified outside of them. `rules` at
 * `rulesAt` mentions fields, `spine` at `spineAt` must specify them.
 */
export function validateCompleteness(
  rules: JsonObject,
  spine: JsonObject,
  spineAt: FieldPath,
  rulesAt: FieldPath,
  errors: FieldErrors,
): void {
  const not = nestedSchema(rules, 'not');
  if (not !== undefined) completeNested(not, spine, spineAt, rulesAt.child('not'), errors);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const [i, each] of nestedSchemas(rules, key).entries())
      completeNested(each, spine, spineAt, rulesAt.child(key).index(i), errors);
}

function completeNested(
  rules: JsonObject,
  spine: JsonObject | undefined,
  spineAt: FieldPath,
  rulesAt: FieldPath,
  errors: FieldErrors,
): void {
  if (spine === undefined) {
    errors.required(spineAt, `because it is defined in ${rulesAt}`);
    return;
  }
  validateCompleteness(rules, spine, spineAt, rulesAt, errors);
  const items = nestedSchema(rules, 'items');
  if (items !== undefined)
    completeNested(items, nestedSchema(spine, 'items'), spineAt.child('items'), rulesAt.child('items'), errors);
  for (const [key, each] of namedSchemas(rules, 'properties'))
    completeNested(
      each,
      property(spine, key),
      spineAt.child('properties').key(key),
      rulesAt.child('properties').key(key),
      errors,
    );
}
