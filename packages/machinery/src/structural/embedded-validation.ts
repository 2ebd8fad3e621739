import type { FieldErrors } from '../errors/field-errors.ts';
import { type FieldPath, path } from '../errors/field-path.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { isDNS1035Label, isValidPathSegmentName, isValidPathSegmentPrefix } from '../meta/validation/names.ts';
import { validateObjectMeta } from '../meta/validation/object-meta.ts';
import { readMetadata } from './embedded-metadata.ts';
import type { SchemaNode } from './schema-node.ts';

/** The apiVersion, kind and metadata of embedded objects. */
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

/** What an object must have to be one. */
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
