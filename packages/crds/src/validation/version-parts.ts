import { type FieldErrors, type FieldPath, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** `owner` is a version, or what all versions share. */
export function validateColumns(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, column] of objectsIn(owner, 'additionalPrinterColumns').entries())
    validateColumn(column, at.child('additionalPrinterColumns').index(i), errors);
}

function validateColumn(column: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [type, format, jsonPath] = [textIn(column, 'type'), textIn(column, 'format'), textIn(column, 'jsonPath')];
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  if (textIn(column, 'name') === '') errors.required(at.child('name'));
  if (type === '') errors.required(at.child('type'), oneOf);
  else if (!columnTypes.includes(type)) errors.invalid(at.child('type'), type, oneOf);
  if (format !== '' && !columnFormats.includes(format))
    errors.invalid(at.child('format'), format, `must be one of ${columnFormats.join(',')}`);
  if (jsonPath === '') errors.required(at.child('JSONPath'));
  else validateSimplePath(jsonPath, at.child('JSONPath'), errors);
}

function validateSimplePath(jsonPath: string, at: FieldPath, errors: FieldErrors): boolean {
  if (jsonPath.startsWith('.')) return true;
  errors.invalid(at, jsonPath, 'must be a simple json path starting with .');
  return false;
}

export function validateSubresources(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const scale = objectIn(objectIn(owner, 'subresources'), 'scale');
  if (!scale) return;
  const scaleAt = at.child('subresources');
  validateReplicas(scale, 'specReplicasPath', '.spec', scaleAt, errors);
  validateReplicas(scale, 'statusReplicasPath', '.status', scaleAt, errors);
  const [selector, selectorAt] = [textIn(scale, 'labelSelectorPath'), scaleAt.child('scale.labelSelectorPath')];
  if (selector === '' || !validateSimplePath(selector, selectorAt, errors)) return;
  if (!selector.startsWith('.spec.') && !selector.startsWith('.status.'))
    errors.invalid(selectorAt, selector, 'should be a json path under either .spec or .status');
}

function validateReplicas(scale: JsonObject, field: string, below: string, at: FieldPath, errors: FieldErrors): void {
  const [value, valueAt] = [textIn(scale, field), at.child(`scale.${field}`)];
  if (value === '') errors.required(valueAt);
  else if (validateSimplePath(value, valueAt, errors) && !value.startsWith(`${below}.`))
    errors.invalid(valueAt, value, `should be a json path under ${below}`);
}
