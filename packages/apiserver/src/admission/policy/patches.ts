import {
  atomicPaths,
  deepCopy,
  type JsonObject,
  type JsonValue,
  jsonPatch,
  mergeObjects,
  PatchFailure,
  PatchTestFailure,
  StatusError,
  schemaMismatch,
} from '@tsukube/machinery';
import { CelList, CelMap, type CelValue, objectNameProblems, toJson } from '@tsukube/machinery/cel';
import { checkedAs, mergeSchemaIn } from '../../registry/object-form.ts';
import type { Schema } from '../../registry/resource.ts';

/** A mutation that cannot be applied. Denies the request, unless the policy ignores failures. */
export class MutationFailed extends Error {
  override readonly name = 'MutationFailed';
}

/** Merges the value of an `Object{…}` expression into an object. Never mutates the object. Throws MutationFailed. */
export function applyConfiguration(object: JsonObject, value: CelValue, schema: Schema): JsonObject {
  checkNames(value, 'Object');
  const { apiVersion = null, kind = null } = object;
  const configuration = { ...(copyOf(value) as JsonObject), apiVersion, kind };
  const merge = mergeSchemaIn(schema);
  const mismatch = schemaMismatch(configuration, merge);
  if (mismatch !== undefined)
    throw new MutationFailed(`error applying patch: failed to convert patch object to typed object: ${mismatch}`);
  const atomics = atomicPaths(configuration, merge);
  if (atomics.length > 0)
    throw new MutationFailed(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return mergeObjects(object, configuration, merge);
}

/**
 * Applies a list of `JSONPatch{…}`. Returns the object itself if a test operation fails. Throws MutationFailed, or a StatusError
 * if the result does not fit the type.
 */
export function applyJsonPatch(object: JsonObject, value: CelValue, schema: Schema): JsonObject {
  const operations = operationsIn(value);
  try {
    const patched = jsonPatch(object, operations) as JsonObject;
    const { error, unknown } = checkedAs(deepCopy(patched), schema);
    if (error !== undefined) throw StatusError.internalError(error);
    if (unknown.length > 0 && !schema.form) throw StatusError.internalError(`strict decoding error: ${unknown.join(', ')}`);
    return patched;
  } catch (error) {
    const cause = error instanceof StatusError ? error.cause : undefined;
    if (cause instanceof PatchTestFailure) return object;
    if (cause instanceof PatchFailure) throw new MutationFailed(`JSON Patch: ${cause.message}`);
    throw error;
  }
}

function operationsIn(value: CelValue): JsonObject[] {
  if (!(value instanceof CelList)) throw new MutationFailed('type mismatch: JSONPatchType.expression should evaluate to array');
  return Array.from({ length: value.size }, (_, i) => operationOf(value.at(i)));
}

function operationOf(operation: CelValue): JsonObject {
  if (!(operation instanceof CelMap))
    throw new MutationFailed('type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch');
  const text = (name: string): string => String(operation.find(name) ?? '');
  const value = operation.find('value');
  if (value instanceof CelMap && value.type) checkNames(value, value.type.name);
  return {
    op: text('op'),
    path: text('path'),
    ...(text('from') !== '' && { from: text('from') }),
    ...(value !== undefined && { value: copyOf(value) }),
  };
}

function checkNames(value: CelValue, path: string): void {
  const problems = objectNameProblems(value, path);
  if (problems.length > 0) throw new MutationFailed(`type mismatch: ${problems.join('\n')}`);
}

/** Values may be part of other objects. */
function copyOf(value: CelValue): JsonValue {
  return deepCopy(toJson(value));
}
