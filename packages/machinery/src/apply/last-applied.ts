import { sortKeys, stringifyJson } from '../json/stringify.ts';
import { getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { difference, type FieldSet, noFields } from '../managed-fields/field-set.ts';
import { compareObjects } from './compare.ts';
import type { ObjectMergeSchema } from './merge-schema.ts';
import { fieldSetOf } from './to-set.ts';
import { schemaMismatch } from './validate.ts';

/** The only manager that kubectl moves from applying by itself to having the server apply. */
export const kubectl = 'kubectl';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { annotations } = object.metadata as JsonObject;
  return isObject(annotations) ? annotations : undefined;
}

/** What kubectl applied by itself and nobody has changed since: kubectl may take it over without a conflict. */
export function ownedByAnnotation(live: JsonObject, schema: ObjectMergeSchema): FieldSet {
  const last = lastApplied(live);
  if (last === undefined || last.apiVersion !== live.apiVersion || schemaMismatch(last, schema) !== undefined) return noFields;
  const { changed, removed } = compareObjects(last, live, schema);
  return difference(difference(fieldSetOf(last, schema), changed), removed);
}

function lastApplied(live: JsonObject): JsonObject | undefined {
  const annotations = annotationsOf(live);
  const text = annotations && getKey(annotations, annotation);
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the annotation of an object that kubectl once applied by itself up to date, so that it can go back to that. */
export function updateAnnotation(object: JsonObject, configuration: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations || !getKey(annotations, annotation)) return object;
  const text = `${stringifyJson(sortKeys(withoutAnnotation(configuration)))}\n`;
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations: { ...annotations, [annotation]: text } } };
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const metadata = isObject(configuration.metadata) ? configuration.metadata : {};
  if (!isObject(metadata.annotations)) return configuration;
  const { [annotation]: _, ...annotations } = metadata.annotations;
  return { ...configuration, metadata: { ...metadata, annotations } };
}
