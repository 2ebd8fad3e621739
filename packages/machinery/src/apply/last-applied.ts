import { sortKeys, stringifyJson } from '../json/stringify.ts';
import { getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { difference, type FieldSet, noFields } from '../managed-fields/field-set.ts';
import { metadataOf } from '../meta/kube-object.ts';
import { compareObjects, fieldSetOf } from './compare.ts';
import type { ObjectMergeSchema } from './merge-schema.ts';
import { schemaMismatch } from './validate.ts';

/** Only this manager migrates from client-side to server-side apply. */
export const kubectl = 'kubectl';
const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const { annotations } = metadataOf(object);
  return isObject(annotations) ? annotations : undefined;
}

/** Fields of the last-applied annotation that are unchanged since: kubectl may take them over without a conflict. */
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

/** Updates the last-applied annotation, if there is one, so that client-side apply stays possible. */
export function updateAnnotation(object: JsonObject, configuration: JsonObject): JsonObject {
  const annotations = annotationsOf(object);
  if (!annotations || !getKey(annotations, annotation)) return object;
  const text = `${stringifyJson(sortKeys(withoutAnnotation(configuration)))}\n`;
  return { ...object, metadata: { ...metadataOf(object), annotations: { ...annotations, [annotation]: text } } };
}

function withoutAnnotation(configuration: JsonObject): JsonObject {
  const metadata = isObject(configuration.metadata) ? configuration.metadata : {};
  if (!isObject(metadata.annotations)) return configuration;
  const { [annotation]: _, ...annotations } = metadata.annotations;
  return { ...configuration, metadata: { ...metadata, annotations } };
}
