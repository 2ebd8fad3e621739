import {
  type FieldErrors,
  type FieldPath,
  findField,
  type JsonObject,
  objectsIn,
  parseSchema,
  structuralObstacle,
  textIn,
} from '@tsukube/machinery';
import { maxSelectableFields } from './leniency.ts';
import { schemaIn } from './shared-parts.ts';

const selectableTypes = ['string', 'boolean', 'integer'];

/** `owner` is a version, or what all versions share; `whenAbsent` is said if it has no schema. */
export function validateSelectableFields(
  owner: JsonObject,
  at: FieldPath,
  mayBeMany: boolean,
  whenAbsent: string,
  errors: FieldErrors,
): void {
  const fields = objectsIn(owner, 'selectableFields');
  const schema = schemaIn(owner);
  if (fields.length === 0) return;
  if (schema === undefined) {
    errors.invalid(at, '', whenAbsent);
    return;
  }
  if (structuralObstacle(schema) !== undefined) return;
  const [root, found] = [parseSchema(schema), new Set<string>()];
  for (const [i, field] of fields.entries()) {
    const [jsonPath, fieldAt] = [textIn(field, 'jsonPath'), at.index(i).child('jsonPath')];
    if (jsonPath === '') {
      errors.required(fieldAt);
      continue;
    }
    const target = findField(jsonPath, root, { subscripts: false });
    if (typeof target === 'string') {
      errors.invalid(fieldAt, jsonPath, `is an invalid path: ${target}`);
      continue;
    }
    if (/^metadata(?:[.[]|$)/.test(target.path)) errors.invalid(fieldAt, jsonPath, 'must not point to fields in metadata');
    if (!selectableTypes.includes(target.node?.type ?? ''))
      errors.invalid(
        fieldAt,
        jsonPath,
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    if (found.has(target.path)) errors.duplicate(fieldAt, jsonPath);
    found.add(target.path);
  }
  if (found.size > maxSelectableFields && !mayBeMany) errors.tooMany(at, found.size, maxSelectableFields);
}
