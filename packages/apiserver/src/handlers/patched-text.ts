import {
  getKey,
  isObject,
  isWrittenNumber,
  type JsonObject,
  type JsonValue,
  setKey,
  sortKeys,
  stringifyJson,
} from '@tsukube/machinery';
import { encodeObject } from '../registry/stored-form.ts';

/**
 * A document that something was merged into as Kubernetes shows it: what the patch has touched has its keys sorted, and
 * so has what is new; all else is as it stood.
 */
export function mergedText(merged: JsonObject, current: JsonObject): string {
  const inOrder: JsonObject = {};
  for (const key of Object.keys(merged)) inOrder[key] = inOrderOfMerge(merged[key] as JsonValue, getKey(current, key));
  return textOfPatched(inOrder, current);
}

/** The text of a document whose parts are in their order. What is stored of metadata is not in the order it is written in. */
export function textOfPatched(patched: JsonObject, current: JsonObject): string {
  const parts = Object.keys(patched)
    .sort()
    .map((key) => {
      const value = patched[key] as JsonValue;
      const isUntouched = key === 'metadata' && value === current.metadata;
      return `${JSON.stringify(key)}:${isUntouched ? metadataText(value) : stringifyJson(value)}`;
    });
  return `{${parts.join(',')}}`;
}

function inOrderOfMerge(value: JsonValue, before: JsonValue | undefined): JsonValue {
  if (value === before || isWrittenNumber(value)) return value;
  if (!isObject(before)) return sortKeys(value);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, inOrderOfMerge(value[key] as JsonValue, getKey(before, key)));
  return sorted;
}

function metadataText(metadata: JsonValue): string {
  const text = encodeObject({ kind: '', apiVersion: '', metadata });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
