import {
  type FieldErrors,
  type FieldPath,
  findField,
  isDNS1035Label,
  type JsonObject,
  objectIn,
  objectsIn,
  parseSchema,
  structuralObstacle,
  textIn,
} from '@tsukube/machinery';
import { internalVersion } from './internal-types.ts';
import { maxSelectableFields, type ValidationOptions } from './ratcheting.ts';
import { validateSchema } from './schema.ts';
import { type SplitSpec, schemaIn, splitSharedFields } from './shared-fields.ts';

const maxWarning = 256;

/** The fields of each version that are not shared. */
export function validateVersions(spec: JsonObject, specPath: FieldPath, options: ValidationOptions, errors: FieldErrors): void {
  const at = specPath.child('versions');
  const given = objectsIn(spec, 'versions');
  const sorted = splitSharedFields(spec);
  for (const [i, version] of sorted.versions.entries()) {
    validateVersionName(textIn(version, 'name'), at.index(i).child('name'), errors);
    validateVersion(version, sorted, at.index(i), options, errors);
  }
  const shown = sorted.versions.map(internalVersion);
  if (new Set(given.map(({ name }) => name)).size < given.length) errors.invalid(at, shown, 'must contain unique version names');
  if (given.filter(({ storage }) => storage === true).length !== 1)
    errors.invalid(at, Array.isArray(spec.versions) ? shown : null, 'must have exactly one version marked as storage version');
  // The internal type also has `spec.version`, the name of the first version.
  const first = textIn(given[0], 'name');
  if (first !== '') validateVersionName(first, specPath.child('version'), errors);
}

/** The fields shared by all versions. */
export function validateShared(spec: JsonObject, specPath: FieldPath, options: ValidationOptions, errors: FieldErrors): void {
  const { shared, versions } = splitSharedFields(spec);
  const schema = schemaIn(shared);
  if (schema) {
    const hasStatus = hasStatusEnabled(shared) || versions.some(hasStatusEnabled);
    const unchanged = options.unchangedVersions.has(textIn(versions[0], 'name'));
    validateSchema(schema, specPath.child('validation'), { options, hasStatus, unchanged }, errors);
  }
  validateSubresources(shared, specPath, errors);
  validateColumns(shared, specPath, errors);
  const mayExceedLimit = options.versionsWithManyFields.has('');
  const absent = 'may only be set when validations.schema is included';
  validateSelectableFields(shared, specPath.child('selectableFields'), mayExceedLimit, absent, errors);
}

function hasStatusEnabled(owner: JsonObject): boolean {
  return objectIn(objectIn(owner, 'subresources'), 'status') !== undefined;
}

function validateVersion(
  version: JsonObject,
  { shared }: SplitSpec,
  at: FieldPath,
  options: ValidationOptions,
  errors: FieldErrors,
): void {
  validateWarning(version, at.child('deprecationWarning'), errors);
  const [name, schema] = [textIn(version, 'name'), schemaIn(version)];
  if (schema) {
    const hasStatus = hasStatusEnabled(shared) || hasStatusEnabled(version);
    const unchanged = options.unchangedVersions.has(name);
    validateSchema(schema, at.child('schema'), { options, hasStatus, unchanged }, errors);
  }
  validateSubresources(version, at, errors);
  validateColumns(version, at, errors);
  const mayExceedLimit = options.versionsWithManyFields.has(name);
  const absent = 'may only be set when `version.schema.openAPIV3Schema` is not included';
  validateSelectableFields(version, at.child('selectableFields'), mayExceedLimit, absent, errors);
}

function validateVersionName(name: string, at: FieldPath, errors: FieldErrors): void {
  const problems = isDNS1035Label(name);
  if (problems.length > 0) errors.invalid(at, name, problems.join(','));
}

function validateWarning(version: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const warning = version.deprecationWarning;
  if (typeof warning !== 'string') return;
  if (version.deprecated !== true) {
    errors.invalid(at, warning, 'can only be set for deprecated versions');
    return;
  }
  if (Buffer.byteLength(warning) > maxWarning) errors.invalid(at, warning, `must be <= ${maxWarning} characters long`);
  if (warning === '') errors.invalid(at, warning, 'must not be an empty string');
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (unprintable)
    errors.invalid(
      at,
      warning,
      `must only contain printable UTF-8 characters; non-printable character found at index ${Buffer.byteLength(warning.slice(0, unprintable.index))}`,
    );
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

/** `owner` is a version or the shared fields. */
function validateColumns(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
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

function validateSubresources(owner: JsonObject, at: FieldPath, errors: FieldErrors): void {
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

const selectableTypes = ['string', 'boolean', 'integer'];

/** `owner` is a version or the shared fields; `whenAbsent` is the error if it has no schema. */
function validateSelectableFields(
  owner: JsonObject,
  at: FieldPath,
  mayExceedLimit: boolean,
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
  if (found.size > maxSelectableFields && !mayExceedLimit) errors.tooMany(at, found.size, maxSelectableFields);
}
