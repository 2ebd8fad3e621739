import { getKey, isObject, isWrittenNumber, type JsonObject, type JsonValue, sortKeys, stringifyJson } from '@tsukube/machinery';
import { encodeObject } from '../registry/stored-form.ts';

/**
 * A patched document as Kubernetes shows it: what the patch has touched has its keys sorted, all else is as it stood.
 * `isMerged` says that what is new was looked through for nulls, and by that sorted as well.
 */
export function patchedText(patched: JsonObject, current: JsonObject, isMerged: boolean): string {
  const parts = Object.keys(patched)
    .sort()
    .map((key) => {
      const value = patched[key] as JsonValue;
      const isUntouched = key === 'metadata' && value === current.metadata;
      return member(key, isUntouched ? metadataText(value) : valueText(value, getKey(current, key), isMerged));
    });
  return `{${parts.join(',')}}`;
}

function valueText(value: JsonValue, before: JsonValue | undefined, isMerged: boolean): string {
  if (value === before || isWrittenNumber(value)) return stringifyJson(value);
  if (!isObject(before)) return stringifyJson(isMerged ? sortKeys(value) : value);
  return isObject(value) ? objectText(value, before, isMerged) : stringifyJson(value);
}

function objectText(value: JsonObject, before: JsonObject, isMerged: boolean): string {
  const parts = Object.keys(value)
    .sort()
    .map((key) => member(key, valueText(value[key] as JsonValue, getKey(before, key), isMerged)));
  return `{${parts.join(',')}}`;
}

function member(key: string, text: string): string {
  return `${JSON.stringify(key)}:${text}`;
}

function metadataText(metadata: JsonValue): string {
  const text = encodeObject({ kind: '', apiVersion: '', metadata });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
