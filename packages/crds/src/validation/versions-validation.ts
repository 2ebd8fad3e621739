import {
  type FieldErrors,
  type FieldPath,
  isDNS1035Label,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { internalVersion } from './internal-form.ts';
import type { Demands } from './leniency.ts';
import { validateSelectableFields } from './selectable-fields.ts';
import { type SortedSpec, schemaIn, sortedParts } from './shared-parts.ts';
import { validateColumns, validateSubresources } from './version-parts.ts';
import { validateSchema } from './version-schema.ts';

const maxWarning = 256;

/** What each version says for itself. */
export function validateVersions(spec: JsonObject, specPath: FieldPath, demands: Demands, errors: FieldErrors): void {
  const at = specPath.child('versions');
  const given = objectsIn(spec, 'versions');
  const sorted = sortedParts(spec);
  for (const [i, version] of sorted.versions.entries()) {
    validateVersionName(textIn(version, 'name'), at.index(i).child('name'), errors);
    validateVersion(version, sorted, at.index(i), demands, errors);
  }
  const shown = sorted.versions.map(internalVersion);
  if (new Set(given.map(({ name }) => name)).size < given.length) errors.invalid(at, shown, 'must contain unique version names');
  if (given.filter(({ storage }) => storage === true).length !== 1)
    errors.invalid(at, Array.isArray(spec.versions) ? shown : null, 'must have exactly one version marked as storage version');
  // The first version is looked at once more, as the one that a definition without a list would have had.
  const first = textIn(given[0], 'name');
  if (first !== '') validateVersionName(first, specPath.child('version'), errors);
}

/** What all versions say alike. */
export function validateShared(spec: JsonObject, specPath: FieldPath, demands: Demands, errors: FieldErrors): void {
  const { shared, versions } = sortedParts(spec);
  const schema = schemaIn(shared);
  if (schema) {
    const hasStatus = hasStatusEnabled(shared) || versions.some(hasStatusEnabled);
    const unchanged = demands.unchangedVersions.has(textIn(versions[0], 'name'));
    validateSchema(schema, specPath.child('validation'), { demands, hasStatus, unchanged }, errors);
  }
  validateSubresources(shared, specPath, errors);
  validateColumns(shared, specPath, errors);
  const crowded = demands.crowdedVersions.has('');
  const absent = 'may only be set when validations.schema is included';
  validateSelectableFields(shared, specPath.child('selectableFields'), crowded, absent, errors);
}

function hasStatusEnabled(owner: JsonObject): boolean {
  return objectIn(objectIn(owner, 'subresources'), 'status') !== undefined;
}

function validateVersion(
  version: JsonObject,
  { shared }: SortedSpec,
  at: FieldPath,
  demands: Demands,
  errors: FieldErrors,
): void {
  validateWarning(version, at.child('deprecationWarning'), errors);
  const [name, schema] = [textIn(version, 'name'), schemaIn(version)];
  if (schema) {
    const hasStatus = hasStatusEnabled(shared) || hasStatusEnabled(version);
    const unchanged = demands.unchangedVersions.has(name);
    validateSchema(schema, at.child('schema'), { demands, hasStatus, unchanged }, errors);
  }
  validateSubresources(version, at, errors);
  validateColumns(version, at, errors);
  const crowded = demands.crowdedVersions.has(name);
  const absent = 'may only be set when `version.schema.openAPIV3Schema` is not included';
  validateSelectableFields(version, at.child('selectableFields'), crowded, absent, errors);
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
