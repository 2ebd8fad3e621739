import {
  type CheckedObject,
  type CheckOptions,
  checkObject,
  emptyObject,
  inFieldOrder,
  isObject,
  type JsonObject,
  type KubeObject,
  mergeSchemaOf,
  type ObjectMergeSchema,
  type ParsedObject,
} from '@tsukube/machinery';
import type { Schema } from './resource.ts';

/** The schema of custom objects, which have no built-in type. */
export interface ObjectForm {
  /** Decodes an object by its schema, as decoding into a type does. May change the object. */
  check(object: JsonObject): CheckedObject;
  /** How server-side apply merges the object. */
  readonly mergeSchema: ObjectMergeSchema;
  /** The schema for OpenAPI, without group, version and kind. */
  published?(dialect: 'openApi3' | 'swagger2'): JsonObject;
}

/** Bodies for a form are parsed without number literals. */
export function checkedAs(object: ParsedObject, { form, catalogue, type }: Schema, options?: CheckOptions): CheckedObject {
  return form ? form.check(object as JsonObject) : checkObject(object, catalogue.get(type), catalogue, options);
}

export function mergeSchemaIn({ form, catalogue, type }: Schema): ObjectMergeSchema {
  return form ? form.mergeSchema : mergeSchemaOf(type, catalogue);
}

/** An object with only the fields that its type always has. */
export function emptyIn({ form, catalogue, type }: Schema): JsonObject {
  const empty = form ? {} : emptyObject(type, catalogue);
  return isObject(empty.metadata) ? empty : { ...empty, metadata: {} };
}

/** Restores the field order of the type, since defaults are appended. Schemas have no order. */
export function orderedAs(object: KubeObject, { form, catalogue, type }: Schema): KubeObject {
  return form ? object : (inFieldOrder(object, type, catalogue) as KubeObject);
}
