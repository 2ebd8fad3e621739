import {
  cannotUnmarshal,
  consumedPatch,
  FieldErrors,
  getKey,
  goQuote,
  goValueText,
  isNumberLiteral,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  jsonPatch,
  jsonPatchStrictErrors,
  mergePatch,
  type NumberForm,
  type ParsedJson,
  parseApiVersion,
  parseJson,
  path,
  StatusError,
  setKey,
  sortKeys,
  strategicMergePatch,
  stringifyJson,
} from '@tsukube/machinery';
import { checkedAs } from '../../registry/object-form.ts';
import { nameUndeterminable } from '../../registry/object-meta.ts';
import type { Schema } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { encodeObject } from '../../registry/stored-form.ts';
import { bodyType } from './body.ts';
import { keepAskedReset, reportStrict } from './decode.ts';
import { noKind, type Objection, objectionTo, type Stated, statedBy, typeMeta } from './type-meta.ts';
import type { FieldValidation } from './write-options.ts';

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
  /** Whether there are numbers in it of which it matters how they are written. */
  readonly hasNumberLiterals?: boolean | undefined;
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

/** What has a type is merged as text, unless strategically: a number is what it was written as. */
export function parsePatch(body: Buffer, type: PatchType, { form }: Schema): Patch {
  const { value, duplicates, hasNumberLiterals } = parse(body, type, type === strategic || form ? 'plain' : 'written');
  if (type === 'application/json-patch+json') {
    const unknown = jsonPatchStrictErrors(value);
    return { type, value, duplicates: [...duplicates.map((problem) => `json patch ${problem}`), ...unknown], hasNumberLiterals };
  }
  if (value === null && type === strategic) return { type, value: {}, duplicates };
  if (!isObject(value)) throw undecodable(cannotUnmarshal(value, 'map[string]interface {}'), type);
  return { type, value, duplicates, hasNumberLiterals };
}

function parse(body: Buffer, type: PatchType, numbers: NumberForm): ParsedJson {
  try {
    return parseJson(body, { numbers });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw undecodable(inPatch(error.message, type), type);
    throw error;
  }
}

/** The only numbers of a JSON patch are in its values. */
function inPatch(problem: string, type: PatchType): string {
  if (type !== 'application/json-patch+json') return problem;
  return problem.replace(/ Go value (of type float64)$/, ' Go struct field jsonPatchOp.value $1');
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
  if (!isObject(patched)) throw refused(stringifyJson(patched), `${noKind}${cannotUnmarshal(patched, typeMeta)}`);
  checkKind(patched, current, patch, schema, request.info.name);
  const source = patch.type === strategic ? 'values' : 'text';
  const checked = checkedAs(keepAskedReset(patched, request), schema, { source, hasNumberLiterals: patch.hasNumberLiterals });
  if (checked.error === undefined && checked.unknown.length + patch.duplicates.length === 0) return checked.value;
  const { refuse, error = checked.error, unknown = checked.unknown } = told(patched, current, patch, schema);
  if (error !== undefined) throw refuse(error);
  reportStrict([...patch.duplicates, ...unknown], validation, request, refuse);
  return checked.value;
}

interface Told {
  readonly refuse: (problem: string) => StatusError;
  readonly error?: string | undefined;
  readonly unknown?: readonly string[];
}

/**
 * What is said of a patch that is not right. Kubernetes merges strategic patches as values and tells of the patch; the
 * others it merges as text, tells of the result, and finds in it what it finds in the order of that text.
 */
function told(patched: JsonObject, current: JsonObject, patch: Patch, schema: Schema): Told {
  if (patch.type === strategic) {
    const left = consumedPatch(patch.value as JsonObject, current);
    return { refuse: (problem) => refused(goValueText(left), problem) };
  }
  if (schema.form) return { refuse: (problem) => refused(stringifyJson(sortKeys(patched)), problem) };
  const text =
    patch.type === 'application/merge-patch+json' ? mergedText(patched, current) : operatedText(patched, current, patch);
  const { value, hasNumberLiterals } = parseJson(Buffer.from(text), { numbers: 'typed' });
  const { error, unknown } = checkedAs(value as JsonObject, schema, { hasNumberLiterals });
  return { refuse: (problem) => refused(text, problem), error, unknown };
}

/** Operations are done again where it matters in which order the result is written. */
function operatedText(patched: JsonObject, current: JsonObject, { value }: Patch): string {
  const { kind, apiVersion } = patched;
  const sorted = jsonPatch(current, value, { sortTouched: true }) as JsonObject;
  return textOfPatched(
    { ...sorted, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) },
    current,
  );
}

/**
 * A patch does not make another kind of an object. Kubernetes merges strategic patches into a value of the kind, which
 * they cannot change; custom objects have rules of their own.
 */
function checkKind(patched: JsonObject, current: JsonObject, patch: Patch, schema: Schema, name: string): void {
  if (schema.form) return;
  if (patch.type !== strategic)
    checkStatedKind(patched, name, (problem) => told(patched, current, patch, schema).refuse(problem));
  const kind = current.kind as string;
  const { group, version } = parseApiVersion(current.apiVersion as string) as { group: string; version: string };
  const wanted = { kind, group, version, schema };
  const stated = patch.type === strategic ? undefined : statedBy(patched, wanted);
  const objection = stated && objectionTo(stated, wanted, () => false);
  if (objection) throw told(patched, current, patch, schema).refuse(reasonOf(objection, stated));
  patched.kind = kind;
  patched.apiVersion = current.apiVersion as string;
}

/** An object without a version is taken for one of the internal version, in which its name is not found. */
function checkStatedKind({ apiVersion, kind }: JsonObject, name: string, refuse: (problem: string) => StatusError): void {
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    throw refuse(noKind + cannotUnmarshal(value, 'string').replace('Go value', `Go struct field .${field}`));
  }
  if (!apiVersion) throw nameUndeterminable(name);
}

function reasonOf(objection: Objection, { kind, apiVersion }: Stated): string {
  if (objection.is !== 'other version') return objection.reason;
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} where this object is`;
}

function patchedValue({ type, value }: Patch, current: JsonObject, { catalogue, type: name }: Schema): JsonValue {
  if (type === 'application/json-patch+json') return jsonPatch(current, value);
  if (type === 'application/merge-patch+json') return mergePatch(current, value);
  return strategicMergePatch(current, value, catalogue.get(name), catalogue);
}

function refused(shown: string, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('patch'), shown, problem);
  return StatusError.invalid({ group: '', kind: '' }, '', errors);
}

/**
 * A document that something was merged into as Kubernetes shows it: what the patch has touched has its keys sorted, and
 * so has what is new; all else is as it stood.
 */
export function mergedText(merged: JsonObject, current: JsonObject): string {
  const inOrder: JsonObject = {};
  for (const key of Object.keys(merged)) inOrder[key] = inOrderOfMerge(merged[key] as JsonValue, getKey(current, key));
  return textOfPatched(inOrder, current);
}

/** The text of a document whose parts are in their order. What is stored of metadata is not in the order it is written in. */
export function textOfPatched(patched: JsonObject, current: JsonObject): string {
  const parts = Object.keys(patched)
    .sort()
    .map((key) => {
      const value = patched[key] as JsonValue;
      const isUntouched = key === 'metadata' && value === current.metadata;
      return `${JSON.stringify(key)}:${isUntouched ? metadataText(value) : stringifyJson(value)}`;
    });
  return `{${parts.join(',')}}`;
}

function inOrderOfMerge(value: JsonValue, before: JsonValue | undefined): JsonValue {
  if (value === before || isNumberLiteral(value)) return value;
  if (!isObject(before)) return sortKeys(value);
  if (!isObject(value)) return value;
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, inOrderOfMerge(value[key] as JsonValue, getKey(before, key)));
  return sorted;
}

function metadataText(metadata: JsonValue): string {
  const text = encodeObject({ kind: '', apiVersion: '', metadata });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
