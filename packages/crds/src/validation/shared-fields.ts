import { deepEqual, isObject, type JsonObject, objectIn, objectsIn } from '@tsukube/machinery';
/** What a version says besides its name, and may say like all others. */
export type Part = 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields';
const parts: readonly Part[] = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'];

/**
 * What all versions have alike counts as said once, of all of them, and is reported that way: where Kubernetes keeps it.
 * `shared` has what they share, `versions` what is left to each.
 */
export interface SortedSpec {
  readonly shared: JsonObject;
  readonly versions: readonly JsonObject[];
}

export function sortedParts(spec: JsonObject): SortedSpec {
  const versions = objectsIn(spec, 'versions');
  const [first] = versions;
  if (first === undefined) return { shared: {}, versions };
  const common = parts.filter((part) => versions.every((version) => deepEqual(version[part], first[part])));
  const shared = Object.fromEntries(common.flatMap((part) => (first[part] === undefined ? [] : [[part, first[part]]])));
  return { shared: shared as JsonObject, versions: versions.map((version) => without(version, common)) };
}

function without(version: JsonObject, common: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(version).filter(([key]) => !common.includes(key)));
}

/** The schema of a version, or of all. */
export function schemaIn(owner: JsonObject | undefined): JsonObject | undefined {
  const schema = objectIn(objectIn(owner, 'schema'), 'openAPIV3Schema');
  return isObject(schema) ? schema : undefined;
}

/** The schemas of all versions, each as often as it is written. */
export function schemasOf(spec: JsonObject): readonly JsonObject[] {
  return objectsIn(spec, 'versions').flatMap((version) => schemaIn(version) ?? []) as readonly JsonObject[];
}
