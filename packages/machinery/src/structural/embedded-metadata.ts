import { cannotUnmarshal } from '../json/errors.ts';
import { sortKeys } from '../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import type { Origin } from './compiled-schema.ts';
import type { Normalization } from './normalization.ts';
import { checkObjectMeta } from './object-meta-type.ts';

/** apiVersion, kind and metadata of an embedded object, which need not be in its schema. */
export function isMetaField(key: string): boolean {
  return key === 'metadata' || key === 'kind' || key === 'apiVersion';
}

/** Gives apiVersion, kind and metadata of an embedded object their types. Changes the object. */
export function coerceEmbedded(object: JsonObject, run: Normalization): void {
  coerceText(object, 'apiVersion', run);
  coerceText(object, 'kind', run);
  if (Object.hasOwn(object, 'metadata')) coerceMetadata(object, object.metadata as JsonValue, run);
}

function coerceText(object: JsonObject, key: string, run: Normalization): void {
  const value = Object.hasOwn(object, key) ? object[key] : '';
  if (typeof value === 'string' || value === undefined) return;
  if (run.origin !== 'request') delete object[key];
  else run.refuse(key, value, 'must be a string');
}

function coerceMetadata(object: JsonObject, metadata: JsonValue, run: Normalization): void {
  if (metadata === null) {
    object.metadata = {};
    return;
  }
  const read = readMetadata(metadata, run.origin);
  if (typeof read === 'string') {
    if (run.origin === 'request') run.refuse('metadata', metadata, read);
    return;
  }
  object.metadata = sortKeys(read.metadata);
  for (const field of read.unknown) run.addUnknownInMetadata(field);
}

interface ReadMetadata {
  readonly metadata: JsonObject;
  readonly unknown: readonly string[];
}

/** The metadata, or why it cannot be read. */
export function readMetadata(metadata: JsonValue, origin: Origin): ReadMetadata | string {
  if (!isObject(metadata)) return cannotUnmarshal(metadata, 'v1.ObjectMeta');
  const { value, error, unknown } = checkObjectMeta(metadata);
  if (error === undefined) return { metadata: value, unknown: unknown.map(fieldIn) };
  return origin === 'request' ? error : { metadata: wellFormed(metadata), unknown: [] };
}

/** From `unknown field "a.b"`. */
function fieldIn(message: string): string {
  return message.slice('unknown field "'.length, -1);
}

function wellFormed(metadata: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const key of Object.keys(metadata)) {
    const single: JsonObject = {};
    setKey(single, key, metadata[key] as JsonValue);
    const { value, error } = checkObjectMeta(single);
    if (error === undefined) Object.assign(kept, value);
  }
  return kept;
}
