import type { Scalable } from '@tsukube/apiserver';
import {
  deepCopy,
  type FieldErrors,
  getKey,
  goTypeText,
  isObject,
  type JsonObject,
  type JsonValue,
  path,
  StatusError,
  setKey,
} from '@tsukube/machinery';
import type { ScalePaths } from '../definition/definition.ts';

/** Stands for missing replicas. */
const unset = -2147483648;
const maxInt32 = 2147483647;

/** The scale subresource by the JSON paths of the definition. */
export function scalableBy(paths: ScalePaths): Scalable {
  const replicasOf = (object: JsonObject, at: string, missing: number) => numberAt(object, at) ?? missing;
  return {
    hasOwnRules: true,
    replicasPath: () => partsOf(paths.specReplicasPath).map((part) => `f:${part}`),
    checkReadable(object) {
      const at = paths.specReplicasPath;
      if (numberAt(object, at) === undefined) throw StatusError.internalError(`the spec replicas field "${at}" does not exist`);
    },
    replicas: (object) => replicasOf(object, paths.specReplicasPath, unset),
    withReplicas(object, replicas) {
      if (replicas === unset) throw StatusError.badRequest(`the spec replicas field "${paths.specReplicasPath}" cannot be empty`);
      return withNumber(object, paths.specReplicasPath, replicas);
    },
    currentReplicas: (object) => replicasOf(object, paths.statusReplicasPath, 0),
    selector: (object) => (paths.labelSelectorPath === undefined ? '' : (textAt(object, paths.labelSelectorPath) ?? '')),
  };
}

/** Reports values that cannot be shown as a Scale. */
export function validateScaleSpec(object: JsonObject, paths: ScalePaths, errors: FieldErrors): void {
  validateReplicas(object, paths.specReplicasPath, errors);
}

export function validateScaleStatus(object: JsonObject, paths: ScalePaths, errors: FieldErrors): void {
  validateReplicas(object, paths.statusReplicasPath, errors);
  const { labelSelectorPath } = paths;
  if (labelSelectorPath === undefined) return;
  const { value, problem } = valueAt(object, labelSelectorPath);
  if (problem !== undefined) errors.invalid(path(labelSelectorPath), '', problem);
  else if (value !== undefined && typeof value !== 'string')
    errors.invalid(path(labelSelectorPath), '', mismatch(labelSelectorPath, value, 'string'));
}

function validateReplicas(object: JsonObject, at: string, errors: FieldErrors): void {
  const { value, problem } = valueAt(object, at);
  if (problem !== undefined) errors.invalid(path(at), 0, problem);
  else if (value !== undefined && !Number.isInteger(value)) errors.invalid(path(at), 0, mismatch(at, value, 'int64'));
  else if (typeof value === 'number' && value < 0) errors.invalid(path(at), value, 'should be a non-negative integer');
  else if (typeof value === 'number' && value > maxInt32)
    errors.invalid(path(at), value, `should be less than or equal to ${maxInt32}`);
}

function mismatch(at: string, value: JsonValue, expected: string): string {
  return `${at} accessor error: ${shown(value)} is of the type ${goTypeText(value)}, expected ${expected}`;
}

function shown(value: JsonValue): string {
  return value === null ? '<nil>' : String(value);
}

function numberAt(object: JsonObject, at: string): number | undefined {
  const { value } = valueAt(object, at);
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}

function textAt(object: JsonObject, at: string): string | undefined {
  const { value } = valueAt(object, at);
  return typeof value === 'string' ? value : undefined;
}

function partsOf(at: string): readonly string[] {
  return at.replace(/^\./, '').split('.');
}

function valueAt(object: JsonObject, at: string): { value?: JsonValue; problem?: string } {
  let value: JsonValue | undefined = object;
  const parts = partsOf(at);
  for (const [i, part] of parts.entries()) {
    if (!isObject(value)) {
      if (value === undefined || value === null) return {};
      return { problem: mismatch(`.${parts.slice(0, i).join('.')}`, value, 'map[string]interface{}') };
    }
    value = getKey(value, part);
  }
  return { value };
}

function withNumber(object: JsonObject, at: string, number: number): JsonObject {
  const copy = deepCopy(object);
  const parts = partsOf(at);
  let parent = copy;
  for (const part of parts.slice(0, -1)) {
    const next = getKey(parent, part);
    const child: JsonObject = isObject(next) ? next : {};
    setKey(parent, part, child);
    parent = child;
  }
  setKey(parent, parts.at(-1) ?? '', number);
  return copy;
}
