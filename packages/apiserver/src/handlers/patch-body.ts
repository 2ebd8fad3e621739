import {
  cannotUnmarshal,
  checkObject,
  FieldErrors,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  jsonPatch,
  mergePatch,
  parseJson,
  path,
  StatusError,
  strategicMergePatch,
  strictErrors,
  stringifyJson,
} from '@tsukube/machinery';
import type { ApiRequest } from '../http/request.ts';
import { encodeObject } from '../registry/stored-form.ts';
import type { Schema } from '../resource.ts';
import { bodyType } from './body.ts';
import { reportStrict } from './decode.ts';
import type { FieldValidation } from './options.ts';

export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;
type PatchType = (typeof patchTypes)[number];

export interface Patch {
  readonly type: PatchType;
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

/** Fails with 415 in the words of the router that Kubernetes uses. */
export function patchType(request: ApiRequest): PatchType {
  try {
    return bodyType(request, patchTypes);
  } catch {
    throw StatusError.generic(415, '415: Unsupported Media Type');
  }
}

export function parsePatch(body: Buffer, type: PatchType): Patch {
  const { value, duplicates } = parse(body);
  if (type === 'application/json-patch+json') {
    if (!Array.isArray(value)) throw undecodable(value, '[]handlers.jsonPatchOp');
    return { type, value, duplicates: duplicates.map((problem) => `json patch ${problem}`) };
  }
  if (!isObject(value)) throw undecodable(value, 'map[string]interface {}');
  return { type, value, duplicates };
}

function parse(body: Buffer): { value: JsonValue; duplicates: readonly string[] } {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw StatusError.badRequest(`error decoding patch: ${error.message}`);
    throw error;
  }
}

function undecodable(value: JsonValue, target: string): StatusError {
  return StatusError.badRequest(`error decoding patch: ${cannotUnmarshal(value, target)}`);
}

/** The object with the patch applied, checked against its type. Every way in which it can go wrong is a StatusError. */
export function applyPatch(
  request: ApiRequest,
  patch: Patch,
  current: JsonObject,
  schema: Schema,
  validation: FieldValidation,
): JsonObject {
  const patched = patchedValue(patch, current, schema);
  if (!isObject(patched)) throw invalidPatch(patched, 'json: cannot unmarshal into an object');
  const checked = checkObject(patched, schema.catalogue.get(schema.type), schema.catalogue);
  if (checked.error !== undefined) throw invalidPatch(patched, checked.error);
  reportStrict(strictErrors(patch.duplicates, checked.unknown), validation, request, (text) => invalidPatch(patched, text));
  return checked.value;
}

function patchedValue({ type, value }: Patch, current: JsonObject, { catalogue, type: name }: Schema): JsonValue {
  if (type === 'application/json-patch+json') return jsonPatch(current, value);
  if (type === 'application/merge-patch+json') return mergePatch(current, value);
  return strategicMergePatch(current, value, catalogue.get(name), catalogue);
}

function invalidPatch(patched: JsonValue, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('patch'), isObject(patched) ? sortedTopLevel(patched) : stringifyJson(patched), problem);
  return StatusError.invalid({ group: '', kind: '' }, '', errors);
}

/** The patched document as Kubernetes shows it: its own keys sorted, what is below them as it stands. */
function sortedTopLevel(object: JsonObject): string {
  const parts = Object.keys(object)
    .sort()
    .map(
      (key) => `${JSON.stringify(key)}:${key === 'metadata' ? metadataText(object) : stringifyJson(object[key] as JsonValue)}`,
    );
  return `{${parts.join(',')}}`;
}

function metadataText(object: JsonObject): string {
  const text = encodeObject({ kind: '', apiVersion: '', metadata: object.metadata as JsonObject });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
