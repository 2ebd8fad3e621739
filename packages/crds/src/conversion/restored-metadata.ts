import {
  FieldErrors,
  goTypeText,
  isObject,
  type JsonObject,
  type JsonValue,
  path,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';

/** The metadata of the original with the labels and annotations of what was converted; or what is wrong with those. */
export function restoredMetadata(original: JsonValue | undefined, converted: JsonValue | undefined): JsonObject | string {
  if (converted === undefined) return 'missing metadata in converted object';
  if (!isObject(converted)) return `invalid metadata of type ${goTypeText(converted)} in converted object`;
  const metadata: JsonObject = { ...(isObject(original) ? original : {}) };
  for (const field of ['labels', 'annotations'] as const) {
    const before = metadata[field];
    delete metadata[field];
    const after = converted[field];
    if (after === undefined || after === null) continue;
    const problem = problemOf(field, isObject(before) ? before : {}, after);
    if (problem !== undefined) return problem;
    metadata[field] = after;
  }
  return metadata;
}

function problemOf(field: 'labels' | 'annotations', before: JsonObject, after: JsonValue): string | undefined {
  if (!isObject(after)) return `invalid metadata.${field} of type ${goTypeText(after)} in converted object`;
  for (const [key, value] of Object.entries(after)) {
    if (typeof value !== 'string')
      return `metadata.${field}[${key}] must be a string, but is ${goTypeText(value)} in converted object`;
  }
  if (isSame(before, after)) return undefined;
  const errors = new FieldErrors();
  if (field === 'labels') validateLabels(after, path('metadata', 'labels'), errors);
  else validateAnnotations(after, path('metadata', 'annotation'), errors);
  return errors.length === 0 ? undefined : String(errors);
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  const keys = Object.keys(after);
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === after[key]);
}
