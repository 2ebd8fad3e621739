import type { FieldErrors } from '../errors/field-errors.ts';
import type { FieldPath } from '../errors/field-path.ts';
import type { JsonObject } from '../json/value.ts';
import { namedSchemas, property, schemaOf, schemasOf } from './props.ts';

/**
 * Every field that anyOf and the like speak of is described outside of them, too. `rules` is what speaks, at `rulesAt`;
 * `spine` is what has to describe it, at `spineAt`.
 */
export function validateCompleteness(
  rules: JsonObject,
  spine: JsonObject,
  spineAt: FieldPath,
  rulesAt: FieldPath,
  errors: FieldErrors,
): void {
  const not = schemaOf(rules, 'not');
  if (not !== undefined) validateNested(not, spine, spineAt, rulesAt.child('not'), errors);
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const [i, each] of schemasOf(rules, key).entries())
      validateNested(each, spine, spineAt, rulesAt.child(key).index(i), errors);
}

function validateNested(
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
  const items = schemaOf(rules, 'items');
  if (items !== undefined)
    validateNested(items, schemaOf(spine, 'items'), spineAt.child('items'), rulesAt.child('items'), errors);
  for (const [key, each] of namedSchemas(rules, 'properties'))
    validateNested(
      each,
      property(spine, key),
      spineAt.child('properties').key(key),
      rulesAt.child('properties').key(key),
      errors,
    );
}
