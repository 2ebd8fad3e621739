import {
  deepEqual,
  FieldErrors,
  isStructural,
  type JsonObject,
  objectsIn,
  parseSchema,
  path,
  someSchema,
  textIn,
  validateDefaults,
} from '@tsukube/machinery';
import { isNonAtomicSet, validateMapKeys } from './list-types.ts';
import { schemaIn, versionSchemas } from './shared-fields.ts';

/** Ratcheting: a stored definition may keep what an older server accepted. The flags are those of Kubernetes' validationOptions. */
export interface ValidationOptions {
  readonly requireOpenAPISchema: boolean;
  readonly requireValidPropertyType: boolean;
  readonly requireStructuralSchema: boolean;
  readonly requirePrunedDefaults: boolean;
  readonly requireAtomicSetType: boolean;
  readonly requireMapListKeysMapSetValidation: boolean;
  /** Versions with an unchanged schema: the cost limit of rules is not enforced. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** Versions whose unchanged selectableFields already exceeded the limit. '' stands for the fields shared by all versions. */
  readonly versionsWithManyFields: ReadonlySet<string>;
}

export const maxSelectableFields = 8;

const strict: ValidationOptions = {
  requireOpenAPISchema: true,
  requireValidPropertyType: true,
  requireStructuralSchema: true,
  requirePrunedDefaults: true,
  requireAtomicSetType: true,
  requireMapListKeysMapSetValidation: true,
  unchangedVersions: new Set(),
  versionsWithManyFields: new Set(),
};

/** v1beta1 accepted most schemas. */
const v1beta1Options: ValidationOptions = {
  ...strict,
  requireOpenAPISchema: false,
  requireValidPropertyType: false,
  requireStructuralSchema: false,
  requirePrunedDefaults: false,
  requireAtomicSetType: false,
  requireMapListKeysMapSetValidation: false,
};

export function ratchetingOptions(spec: JsonObject, old: JsonObject | undefined, legacy: boolean): ValidationOptions {
  if (legacy) return old === undefined ? v1beta1Options : { ...v1beta1Options, ...unchangedParts(spec, old) };
  if (old === undefined) return strict;
  const schemas = versionSchemas(old);
  return {
    requireOpenAPISchema: schemas.length === objectsIn(old, 'versions').length,
    requireValidPropertyType: !schemas.some((schema) => someSchema(schema, isUnknownType)),
    requireStructuralSchema: schemas.every(isStructural),
    requirePrunedDefaults: !schemas.some(hasUnprunedDefaults),
    requireAtomicSetType: !schemas.some((schema) => someSchema(schema, isNonAtomicSet)),
    requireMapListKeysMapSetValidation: !schemas.some((schema) => someSchema(schema, hasInvalidMapKeys)),
    ...unchangedParts(spec, old),
  };
}

function unchangedParts(
  spec: JsonObject,
  old: JsonObject,
): Pick<ValidationOptions, 'unchangedVersions' | 'versionsWithManyFields'> {
  return {
    unchangedVersions: matchingVersions(spec, old, (version, before) => deepEqual(version.schema, before.schema)),
    versionsWithManyFields: matchingVersions(spec, old, hadTooManyFields),
  };
}

export const knownTypes: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

export function isUnknownType(schema: JsonObject): boolean {
  return textIn(schema, 'type') !== '' && !knownTypes.has(textIn(schema, 'type'));
}

function hasUnprunedDefaults(schema: JsonObject): boolean {
  if (!someSchema(schema, (each) => each.default !== undefined) || !isStructural(schema)) return false;
  const errors = new FieldErrors();
  validateDefaults(parseSchema(schema), path('schema'), true, errors);
  return errors.list.some(({ body }) => body.endsWith('must not have unknown fields'));
}

function hasInvalidMapKeys(schema: JsonObject): boolean {
  const errors = new FieldErrors();
  validateMapKeys(schema, path('schema'), errors);
  return errors.length > 0;
}

type VersionMatch = (version: JsonObject, before: JsonObject) => boolean;

function matchingVersions(spec: JsonObject, old: JsonObject, matches: VersionMatch): ReadonlySet<string> {
  const before = new Map(objectsIn(old, 'versions').map((version) => [textIn(version, 'name'), version]));
  const matching = objectsIn(spec, 'versions').filter((version) => {
    const counterpart = before.get(textIn(version, 'name'));
    return counterpart !== undefined && matches(version, counterpart);
  });
  const names = matching.map((version) => textIn(version, 'name'));
  return new Set(matching.length > 0 && matching.length === before.size ? ['', ...names] : names);
}

function hadTooManyFields(version: JsonObject, before: JsonObject): boolean {
  const fields = objectsIn(before, 'selectableFields');
  return fields.length > maxSelectableFields && deepEqual(version.selectableFields, before.selectableFields);
}

/** Whether any schema has a default; defaulting requires pruning. */
export function hasDefaults(spec: JsonObject): boolean {
  return versionSchemas(spec).some((schema) => someSchema(schema, (each) => each.default !== undefined));
}

const extensions = ['embedded-resource', 'preserve-unknown-fields', 'int-or-string', 'list-map-keys', 'list-type', 'validations'];

/** Whether any schema has an extension that requires a structural schema. */
export function hasExtensions(spec: JsonObject): boolean {
  return objectsIn(spec, 'versions').some((version) =>
    someSchema(schemaIn(version), (each) => extensions.some((name) => each[`x-kubernetes-${name}`] !== undefined)),
  );
}
