import type { FieldErrors } from '../errors/field-errors.ts';
import { type FieldPath, path } from '../errors/field-path.ts';
import { cannotUnmarshal } from '../json/errors.ts';
import { sortKeys } from '../json/stringify.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import { isDNS1035Label, isValidPathSegmentName, isValidPathSegmentPrefix } from '../meta/validation/names.ts';
import { validateObjectMeta } from '../meta/validation/object-meta.ts';
import type { Origin } from './compiled-schema.ts';
import { checkObjectMeta } from './merge-schema.ts';
import type { Normalization } from './normalization.ts';
import type { SchemaNode } from './schema/schema-node.ts';

/** Fields of an embedded object that its schema need not declare. */
export function isMetaField(key: string): boolean {
  return key === 'metadata' || key === 'kind' || key === 'apiVersion';
}

/** Coerces apiVersion, kind and metadata of an embedded object. Mutates the object. */
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

/** The decoded metadata, or an error message. */
export function readMetadata(metadata: JsonValue, origin: Origin): ReadMetadata | string {
  if (!isObject(metadata)) return cannotUnmarshal(metadata, 'v1.ObjectMeta');
  const { value, error, unknown } = checkObjectMeta(metadata);
  if (error === undefined) return { metadata: value, unknown: unknown.map(fieldIn) };
  return origin === 'request' ? error : { metadata: wellFormed(metadata), unknown: [] };
}

/** The path in `unknown field "a.b"`. */
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

/** Validates apiVersion, kind and metadata of embedded objects. */
export function validateEmbedded(value: JsonValue, node: SchemaNode, at: FieldPath | undefined, errors: FieldErrors): void {
  if (!node.within.embedded || typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items !== undefined) for (const [i, item] of value.entries()) validateEmbedded(item, items, at?.index(i), errors);
    return;
  }
  if (node.embedded) validateIdentity(value, at, errors);
  for (const key in value) {
    const property = node.properties?.get(key);
    const member = value[key] as JsonValue;
    if (property !== undefined) validateEmbedded(member, property, childOf(at, key), errors);
    else if (typeof node.additional === 'object')
      validateEmbedded(member, node.additional, at === undefined ? path('').key(key) : at.key(key), errors);
  }
}

function childOf(at: FieldPath | undefined, key: string): FieldPath {
  return at === undefined ? path(key) : at.child(key);
}

/** Validates apiVersion and kind, which an embedded object must have. */
export function validateIdentity(object: JsonObject, at: FieldPath | undefined, errors: FieldErrors): void {
  if (!Object.hasOwn(object, 'apiVersion')) errors.required(childOf(at, 'apiVersion'));
  if (!Object.hasOwn(object, 'kind')) errors.required(childOf(at, 'kind'));
  for (const key in object) {
    const value = object[key] as JsonValue;
    if (key === 'apiVersion') validateText(value, childOf(at, key), apiVersionProblem, errors);
    else if (key === 'kind') validateText(value, childOf(at, key), kindProblem, errors);
    else if (key === 'metadata') validateMetadata(value, childOf(at, key), errors);
  }
}

function validateText(value: JsonValue, at: FieldPath, problemOf: (text: string) => string, errors: FieldErrors): void {
  if (typeof value !== 'string') {
    errors.invalid(at, value, 'must be a string');
    return;
  }
  const problem = value === '' ? 'must not be empty' : problemOf(value);
  if (problem !== '') errors.invalid(at, value, problem);
}

function apiVersionProblem(text: string): string {
  return text.split('/').length > 2 ? `unexpected GroupVersion string: ${text}` : '';
}

function kindProblem(text: string): string {
  const problems = isDNS1035Label(text.toLowerCase());
  return problems.length === 0 ? '' : `may have mixed case, but should otherwise match: ${problems.join(',')}`;
}

function validateMetadata(value: JsonValue, at: FieldPath, errors: FieldErrors): void {
  const read = readMetadata(value ?? {}, 'request');
  if (typeof read === 'string') {
    errors.invalid(at, value, read);
    return;
  }
  // An embedded object needs no name.
  const metadata = read.metadata.name === undefined ? { ...read.metadata, name: 'fakename' } : read.metadata;
  const namespaced = typeof metadata.namespace === 'string' && metadata.namespace !== '';
  const validateName = (name: string, prefix: boolean) =>
    prefix ? isValidPathSegmentPrefix(name) : isValidPathSegmentName(name);
  validateObjectMeta(metadata, { namespaced, validateName, path: at }, errors);
}
