import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';
import { restoredMetadata } from './restored-metadata.ts';

/** The objects in the answer to a review, or why there are none. */
export function convertedObjects(answer: JsonValue, reviewVersion: string, uid: string): readonly JsonValue[] | string {
  const review = isObject(answer) ? answer : {};
  if (reviewVersion === 'v1') {
    const [expected, got] = [kindText('apiextensions.k8s.io/v1', 'ConversionReview'), kindText(review.apiVersion, review.kind)];
    if (got !== expected) return `expected webhook response of ${expected}, got ${got}`;
  }
  const { response } = review;
  if (!isObject(response)) return 'no response provided';
  if (reviewVersion === 'v1' && (response.uid ?? '') !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  const { status = '', message } = isObject(response.result) ? response.result : ({} as JsonObject);
  if (status !== 'Success') {
    if (typeof message === 'string' && message !== '') return message;
    return `response.result.status was '${status}', not 'Success'`;
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** What was converted, with the metadata that no conversion may change; or why it cannot be taken. */
export function convertedObject(
  original: JsonObject,
  converted: JsonValue | undefined,
  apiVersion: string,
  index: number,
): JsonObject | string {
  const invalid = `invalid object at index ${index}:`;
  if (!isObject(converted)) return `${invalid} it is no object`;
  if (converted.apiVersion !== apiVersion)
    return `${invalid} invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion ?? ''})`;
  if (converted.kind !== original.kind)
    return `${invalid} invalid kind (expected ${original.kind}, received ${converted.kind ?? ''})`;
  const difference = forbiddenDifference(original, converted);
  if (difference !== undefined) return `invalid object: ${difference}`;
  const metadata = restoredMetadata(original.metadata, converted.metadata);
  return typeof metadata === 'string' ? `invalid metadata: ${metadata}` : { ...converted, metadata };
}

const fixed: readonly (readonly [field: string, title: string])[] = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
];

function forbiddenDifference(original: JsonObject, converted: JsonObject): string | undefined {
  const [before, after] = [membersOf(original.metadata), membersOf(converted.metadata)];
  for (const [field, title] of fixed) {
    const [expected, got] = [before[field] ?? '', after[field] ?? ''];
    if (expected !== got) return `must have the same ${title}: ${expected} != ${got}`;
  }
  return undefined;
}

function membersOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function kindText(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const [group, version] = String(apiVersion ?? '').includes('/') ? String(apiVersion).split('/') : ['', apiVersion ?? ''];
  return `${group}/${version}, Kind=${kind ?? ''}`;
}
