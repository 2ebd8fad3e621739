import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { describeElement, fieldElement } from '../managed-fields/path-element.ts';
import type { MergeSchema, ObjectMergeSchema } from './merge-schema.ts';

/** Paths of the lists, maps and structs in an object that can only be replaced as a whole. */
export function atomicPaths(object: JsonObject, schema: ObjectMergeSchema): readonly string[] {
  const paths: string[] = [];
  visit(object, schema, '', paths);
  return paths;
}

function visit(value: JsonValue, schema: MergeSchema, path: string, paths: string[]): void {
  if (Array.isArray(value)) visitList(value, schema, path, paths);
  else if (isObject(value)) visitObject(value, schema, path, paths);
}

function visitList(list: readonly JsonValue[], schema: MergeSchema, path: string, paths: string[]): void {
  if (schema.is === 'any' || schema.is === 'deduced') paths.push(path);
  if (schema.is !== 'list') return;
  if (schema.kind === 'atomic') paths.push(path);
  for (const [i, item] of list.entries()) visit(item, schema.of, `${path}[${i}]`, paths);
}

/** The values of maps are not visited, as in Kubernetes. */
function visitObject(object: JsonObject, schema: MergeSchema, path: string, paths: string[]): void {
  if (schema.is === 'any') paths.push(path);
  if (schema.is !== 'object') return;
  if (schema.atomic) paths.push(path);
  for (const key of Object.keys(object)) {
    const field = schema.fields.get(key);
    if (field) visit(object[key] as JsonValue, field, `${path}${describeElement(fieldElement(key))}`, paths);
  }
}
