import {
  cannotUnmarshal,
  FieldErrors,
  goQuote,
  goValueText,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  jsonPatch,
  jsonPatchStrictErrors,
  mergePatch,
  parseJson,
  path,
  StatusError,
  sortKeys,
  strategicMergePatch,
  strictErrors,
  stringifyJson,
} from '@tsukube/machinery';
import type { ResourceRequest } from '../http/request.ts';
import { checkedAs } from '../registry/object-form.ts';
import { encodeObject } from '../registry/stored-form.ts';
import type { Schema } from '../resource.ts';
import { keepAskedReset } from './asked-reset.ts';
import { bodyType } from './body.ts';
import { reportStrict } from './decode.ts';
import type { FieldValidation } from './options.ts';

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;
type PatchType = (typeof patchTypes)[number];

const strategic = 'application/strategic-merge-patch+json';

export interface Patch {
  readonly type: PatchType;
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

/** Fails with 415 in the words of the router that Kubernetes uses; what has no type cannot be patched strategically. */
export function patchType(request: ResourceRequest): PatchType;
export function patchType<T extends string>(request: ResourceRequest, more: readonly T[]): PatchType | T;
export function patchType(request: ResourceRequest, more: readonly string[] = []): string {
  if (request.version.schema.form) return bodyType(request, [...patchTypes.filter((type) => type !== strategic), ...more]);
  try {
    if (request.exchange.header('content-type')) return bodyType(request, [...patchTypes, ...more]);
  } catch {
    // The router says it in words of its own.
  }
  throw StatusError.generic(415, '415: Unsupported Media Type');
}

export function parsePatch(body: Buffer, type: PatchType): Patch {
  const { value, duplicates } = parse(body, type);
  if (type === 'application/json-patch+json') {
    const unknown = jsonPatchStrictErrors(value);
    return { type, value, duplicates: [...duplicates.map((problem) => `json patch ${problem}`), ...unknown] };
  }
  if (value === null && type === strategic) return { type, value: {}, duplicates };
  if (!isObject(value)) throw undecodable(cannotUnmarshal(value, 'map[string]interface {}'), type);
  return { type, value, duplicates };
}

function parse(body: Buffer, type: PatchType): { value: JsonValue; duplicates: readonly string[] } {
  try {
    return parseJson(body);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw undecodable(error.message, type);
    throw error;
  }
}

function undecodable(problem: string, type: PatchType): StatusError {
  return StatusError.badRequest(type === strategic ? problem : `error decoding patch: ${problem}`);
}

/** The object with the patch applied, checked against its type. Every way in which it can go wrong is a StatusError. */
export function applyPatch(
  request: ResourceRequest,
  patch: Patch,
  current: JsonObject,
  schema: Schema,
  validation: FieldValidation,
): JsonObject {
  const patched = patchedValue(patch, current, schema);
  if (!isObject(patched)) throw invalidPatch(patched, 'json: cannot unmarshal into an object');
  checkKind(patched, current, patch, schema);
  const checked = checkedAs(keepAskedReset(patched, request), schema);
  // Kubernetes merges strategic patches as values and tells of the patch; the others it merges as text and tells of the result.
  const refuse =
    patch.type === strategic
      ? (problem: string) => refused(goValueText(patch.value), problem)
      : (problem: string) => (schema.form ? refused(stringifyJson(sortKeys(patched)), problem) : invalidPatch(patched, problem));
  if (checked.error !== undefined) {
    throw refuse(patch.type === strategic ? (checked.restoreError ?? checked.error) : checked.error);
  }
  reportStrict(strictErrors(patch.duplicates, checked.unknown), validation, request, refuse);
  return checked.value;
}

/**
 * A patch does not make another kind of an object. Kubernetes merges strategic patches into a value of the kind, which
 * they cannot change; custom objects have rules of their own.
 */
function checkKind(patched: JsonObject, current: JsonObject, { type }: Patch, { form }: Schema): void {
  if (form) return;
  const { kind, apiVersion } = current;
  const [stated, version] = type === strategic ? [kind, apiVersion] : [patched.kind || kind, patched.apiVersion || apiVersion];
  if (stated !== kind || version !== apiVersion) {
    const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
    throw invalidPatch(
      patched,
      `no kind ${goQuote(String(stated))} is registered for version ${goQuote(String(version))} ${scheme}`,
    );
  }
  patched.kind = kind as string;
  patched.apiVersion = apiVersion as string;
}

function patchedValue({ type, value }: Patch, current: JsonObject, { catalogue, type: name }: Schema): JsonValue {
  if (type === 'application/json-patch+json') return jsonPatch(current, value);
  if (type === 'application/merge-patch+json') return mergePatch(current, value);
  return strategicMergePatch(current, value, catalogue.get(name), catalogue);
}

function invalidPatch(patched: JsonValue, problem: string): StatusError {
  return refused(isObject(patched) ? sortedTopLevel(patched) : stringifyJson(patched), problem);
}

function refused(shown: string, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('patch'), shown, problem);
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
  if (!isObject(object.metadata)) return stringifyJson(object.metadata as JsonValue);
  const text = encodeObject({ kind: '', apiVersion: '', metadata: object.metadata as JsonObject });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
