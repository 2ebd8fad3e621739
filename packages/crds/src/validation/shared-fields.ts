import { deepEqual, definedFields, isObject, type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';

/** The fields of a version that Kubernetes hoists to the spec if all versions have the same value. */
export type SharedField = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';
const sharedFields: readonly SharedField[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

/**
 * Kubernetes' internal type has fields that are equal in all versions once, in the spec, and reports errors there. `shared`
 * holds those fields, `versions` the rest of each version.
 */
export interface SplitSpec {
  readonly shared: JsonObject;
  readonly versions: readonly JsonObject[];
}

export function splitSharedFields(spec: JsonObject): SplitSpec {
  const versions = objectsIn(spec, 'versions');
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const common = sharedFields.filter((field) => versions.every((version) => deepEqual(version[field], first[field])));
  const shared = definedFields(Object.fromEntries(common.map((field) => [field, first[field]])));
  return { shared, versions: versions.map((version) => without(version, common)) };
}

function without(version: JsonObject, common: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(version).filter(([key]) => !common.includes(key)));
}

/** The schema of a version or of the shared fields. */
export function schemaIn(owner: JsonObject | undefined): JsonObject | undefined {
  const schema = objectIn(objectIn(owner, 'schema'), 'openAPIV3Schema');
  return isObject(schema) ? schema : undefined;
}

/** The schemas of all versions, duplicates included. */
export function versionSchemas(spec: JsonObject): readonly JsonObject[] {
  return objectsIn(spec, 'versions').flatMap((version) => schemaIn(version) ?? []) as readonly JsonObject[];
}
