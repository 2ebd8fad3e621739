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
import { isLooseSet, validateMapKeys } from './list-types.ts';
import { schemaIn, schemasOf } from './shared-fields.ts';
/** What is asked of a definition. Of one that is there already less is, where it was accepted with less. */
export interface Ratcheting {
  readonly schemas: boolean;
  readonly validTypes: boolean;
  readonly structural: boolean;
  readonly prunedDefaults: boolean;
  readonly atomicSets: boolean;
  readonly soundMapKeys: boolean;
  /** The versions whose schema is what it was: their rules may cost what they cost. */
  readonly unchangedVersions: ReadonlySet<string>;
  /** The versions whose selectable fields are too many, and were so. '' stands for what all versions share. */
  readonly crowdedVersions: ReadonlySet<string>;
}

export const maxSelectableFields = 8;

const everything: Ratcheting = {
  schemas: true,
  validTypes: true,
  structural: true,
  prunedDefaults: true,
  atomicSets: true,
  soundMapKeys: true,
  unchangedVersions: new Set(),
  crowdedVersions: new Set(),
};

/** v1beta1 asked for little. */
const little: Ratcheting = {
  ...everything,
  schemas: false,
  validTypes: false,
  structural: false,
  prunedDefaults: false,
  atomicSets: false,
  soundMapKeys: false,
};

export function ratchetingFor(spec: JsonObject, old: JsonObject | undefined, legacy: boolean): Ratcheting {
  if (legacy) return old === undefined ? little : { ...little, ...likeBefore(spec, old) };
  if (old === undefined) return everything;
  const schemas = schemasOf(old);
  return {
    schemas: schemas.length === objectsIn(old, 'versions').length,
    validTypes: !schemas.some((schema) => someSchema(schema, isOddType)),
    structural: schemas.every(isStructural),
    prunedDefaults: !schemas.some(hasUnprunedDefaults),
    atomicSets: !schemas.some((schema) => someSchema(schema, isLooseSet)),
    soundMapKeys: !schemas.some((schema) => someSchema(schema, hasLooseMapKeys)),
    ...likeBefore(spec, old),
  };
}

function likeBefore(spec: JsonObject, old: JsonObject): Pick<Ratcheting, 'unchangedVersions' | 'crowdedVersions'> {
  return {
    unchangedVersions: versionsLike(spec, old, (version, before) => deepEqual(version.schema, before.schema)),
    crowdedVersions: versionsLike(spec, old, isCrowdedAsBefore),
  };
}

export const knownTypes: ReadonlySet<string> = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

export function isOddType(schema: JsonObject): boolean {
  return textIn(schema, 'type') !== '' && !knownTypes.has(textIn(schema, 'type'));
}

function hasUnprunedDefaults(schema: JsonObject): boolean {
  if (!someSchema(schema, (each) => each.default !== undefined) || !isStructural(schema)) return false;
  const errors = new FieldErrors();
  validateDefaults(parseSchema(schema), path('schema'), true, errors);
  return errors.list.some(({ body }) => body.endsWith('must not have unknown fields'));
}

function hasLooseMapKeys(schema: JsonObject): boolean {
  const errors = new FieldErrors();
  validateMapKeys(schema, path('schema'), errors);
  return errors.length > 0;
}

type Likeness = (version: JsonObject, before: JsonObject) => boolean;

function versionsLike(spec: JsonObject, old: JsonObject, isAlike: Likeness): ReadonlySet<string> {
  const before = new Map(objectsIn(old, 'versions').map((version) => [textIn(version, 'name'), version]));
  const alike = objectsIn(spec, 'versions').filter((version) => {
    const counterpart = before.get(textIn(version, 'name'));
    return counterpart !== undefined && isAlike(version, counterpart);
  });
  const names = alike.map((version) => textIn(version, 'name'));
  return new Set(alike.length > 0 && alike.length === before.size ? ['', ...names] : names);
}

function isCrowdedAsBefore(version: JsonObject, before: JsonObject): boolean {
  const fields = objectsIn(before, 'selectableFields');
  return fields.length > maxSelectableFields && deepEqual(version.selectableFields, before.selectableFields);
}

/** Whether any schema has a default, which nothing could fill in where everything is kept. */
export function hasDefaults(spec: JsonObject): boolean {
  return schemasOf(spec).some((schema) => someSchema(schema, (each) => each.default !== undefined));
}

const extensions = ['embedded-resource', 'preserve-unknown-fields', 'int-or-string', 'list-map-keys', 'list-type', 'validations'];

/** Whether any schema speaks of what only structural schemas can have. */
export function hasExtensions(spec: JsonObject): boolean {
  return objectsIn(spec, 'versions').some((version) =>
    someSchema(schemaIn(version), (each) => extensions.some((name) => each[`x-kubernetes-${name}`] !== undefined)),
  );
}
