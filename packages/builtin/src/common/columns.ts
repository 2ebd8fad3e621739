import type { JsonObject } from '@tsukube/machinery';

export { ageColumn, column, nameColumn, nameColumnWith, plainColumns } from '@tsukube/apiserver';

export function metadataOf(object: JsonObject): JsonObject {
  return object.metadata as JsonObject;
}
