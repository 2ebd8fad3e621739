import { deepEqual, isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';

/** Where a write changes nothing but the times at which somebody became an owner, those stay as they are. */
export function keepTimes(object: JsonObject, existing: JsonObject): void {
  const [metadata, oldMetadata] = [object.metadata as JsonObject, existing.metadata as JsonObject];
  const [entries, old] = [metadata.managedFields, oldMetadata.managedFields];
  if (entries === old || !Array.isArray(entries) || !Array.isArray(old) || entries.length !== old.length) return;
  if (entries.every((entry, i) => timeOf(entry) === timeOf(old[i]))) return;
  if (!entries.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(old[i] as JsonValue)))) return;
  const kept = { ...metadata, managedFields: old };
  if (deepEqual({ ...object, metadata: kept }, existing)) metadata.managedFields = old;
}

function timeOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isObject(entry) ? entry.time : undefined;
}

function withoutTime(entry: JsonValue): JsonValue {
  if (!isObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
