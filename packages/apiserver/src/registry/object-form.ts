import {
  type CheckedObject,
  type CheckOptions,
  checkObject,
  emptyObject,
  inFieldOrder,
  isObject,
  type JsonObject,
  mergeSchemaOf,
  type ObjectMergeSchema,
} from '@tsukube/machinery';
import type { Schema } from './resource.ts';

/** Objects that are described by a schema of their own instead of a type. */
export interface ObjectForm {
  /** Gives a decoded object the form it is kept in, as decoding into a type does. May change the object. */
  check(object: JsonObject): CheckedObject;
  /** How it is owned, part by part. */
  readonly mergeSchema: ObjectMergeSchema;
  /** The schema as OpenAPI shows it, without its group, version and kind. */
  published?(dialect: 'openApi3' | 'swagger2'): JsonObject;
}

export function checkedAs(object: JsonObject, { form, catalogue, type }: Schema, options?: CheckOptions): CheckedObject {
  return form ? form.check(object) : checkObject(object, catalogue.get(type), catalogue, options);
}

export function mergeSchemaIn({ form, catalogue, type }: Schema): ObjectMergeSchema {
  return form ? form.mergeSchema : mergeSchemaOf(type, catalogue);
}

/** An object before anything is said of it. */
export function emptyIn({ form, catalogue, type }: Schema): JsonObject {
  const empty = form ? {} : emptyObject(type, catalogue);
  return isObject(empty.metadata) ? empty : { ...empty, metadata: {} };
}

/** What was filled in comes last; it is written where its type has it. A schema has no order. */
export function orderedAs(object: JsonObject, { form, catalogue, type }: Schema): JsonObject {
  return form ? object : inFieldOrder(object, type, catalogue);
}
