import { definedFields, inFieldOrder, isObject, type JsonObject, parseJson, stringifyJson } from '@tsukube/machinery';
import type { NotedRequest, NoteRule, TypeReference } from '../http/api-request.ts';

/** The request object as the audit event shows it. */
export function auditedObject(object: JsonObject, schema: TypeReference | undefined, rule: NoteRule): NotedRequest {
  const subject = isObject(object.metadata) ? subjectIn(object.metadata) : {};
  if (rule.level === 'Metadata') return { subject, json: undefined };
  const shown = rule.omitManagedFields ? withoutManagedFields(object) : object;
  const ordered = schema && !schema.form ? inFieldOrder(shown, schema.type, schema.catalogue) : shown;
  return { subject, json: stringifyJson(ordered) };
}

/** A patch that is not JSON is left out of the event. */
export function auditedPatch(patch: Buffer, rule: NoteRule): NotedRequest {
  if (rule.level === 'Metadata') return { subject: undefined, json: undefined };
  try {
    return { subject: undefined, json: stringifyJson(parseJson(patch).value) };
  } catch {
    return { subject: undefined, json: undefined };
  }
}

function subjectIn({ namespace, name, uid, resourceVersion }: JsonObject): JsonObject {
  return definedFields({ namespace, name, uid, resourceVersion });
}

/** Removes managedFields from an object, from the items of a list and from the rows of a Table. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata, items, rows } = object;
  const bare = { ...object };
  if (isObject(metadata) && metadata.managedFields !== undefined) bare.metadata = withoutField(metadata);
  if (Array.isArray(items)) bare.items = items.map((item) => (isObject(item) ? withoutManagedFields(item) : item));
  if (Array.isArray(rows))
    bare.rows = rows.map((row) => (isObject(row) && isObject(row.object) ? bareRow(row, row.object) : row));
  return bare;
}

function bareRow(row: JsonObject, object: JsonObject): JsonObject {
  return { ...row, object: withoutManagedFields(object) };
}

function withoutField({ managedFields: _, ...metadata }: JsonObject): JsonObject {
  return metadata;
}
