import { deepEqual, type FieldErrors, type FieldPath, isDNS1035Label, type JsonObject } from '@tsukube/machinery';
import { objectIn, objectsIn, textIn } from '../core/pod-spec/members.ts';
import { validateColumns, validateSubresources } from './version-parts.ts';

const maxWarning = 256;

/**
 * What all versions have alike counts as said once, of all of them, and is reported that way: where Kubernetes keeps it.
 */
function isShared(versions: readonly JsonObject[], part: string): boolean {
  return versions.every((version) => deepEqual(version[part], versions[0]?.[part]));
}

export function validateVersions(spec: JsonObject, specPath: FieldPath, errors: FieldErrors): void {
  const versions = objectsIn(spec, 'versions');
  const at = specPath.child('versions');
  for (const [i, version] of versions.entries())
    if (!objectIn(objectIn(version, 'schema'), 'openAPIV3Schema'))
      errors.required(at.index(i).child('schema', 'openAPIV3Schema'));
  for (const [i, version] of versions.entries()) validateVersion(version, versions, at.index(i), errors);
  const shown = versions.map(shownVersion);
  if (new Set(versions.map(({ name }) => name)).size < versions.length)
    errors.invalid(at, shown, 'must contain unique version names');
  if (versions.filter(({ storage }) => storage === true).length !== 1)
    errors.invalid(at, Array.isArray(spec.versions) ? shown : null, 'must have exactly one version marked as storage version');
  validateVersionName(textIn(versions[0], 'name') || undefined, specPath.child('version'), errors);
}

export function validateShared(spec: JsonObject, specPath: FieldPath, errors: FieldErrors): void {
  const versions = objectsIn(spec, 'versions');
  const [first] = versions;
  if (!first) return;
  if (isShared(versions, 'subresources')) validateSubresources(first, specPath, errors);
  if (isShared(versions, 'additionalPrinterColumns')) validateColumns(first, specPath, errors);
}

function validateVersion(version: JsonObject, versions: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  validateVersionName(textIn(version, 'name'), at.child('name'), errors);
  validateWarning(version, at.child('deprecationWarning'), errors);
  if (!isShared(versions, 'subresources')) validateSubresources(version, at, errors);
  if (!isShared(versions, 'additionalPrinterColumns')) validateColumns(version, at, errors);
}

/** The first version is looked at once more, as the one that a definition without a list would have had. */
function validateVersionName(name: string | undefined, at: FieldPath, errors: FieldErrors): void {
  const problems = name === undefined ? [] : isDNS1035Label(name);
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

/** As Kubernetes shows it; what all versions share it shows of none. */
function shownVersion(version: JsonObject): JsonObject {
  const { name = '', served = false, storage = false, deprecated = false, deprecationWarning = null } = version;
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}
