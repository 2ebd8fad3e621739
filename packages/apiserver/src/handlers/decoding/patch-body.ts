import {
  cannotUnmarshal,
  consumedPatch,
  FieldErrors,
  getKey,
  goQuote,
  goValueText,
  isObject,
  isParsedObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  jsonPatch,
  jsonPatchStrictErrors,
  mergePatch,
  metadataOf,
  type NumberForm,
  type ParsedJson,
  type ParsedObject,
  type ParsedValue,
  parseApiVersion,
  parseJson,
  path,
  StatusError,
  setKey,
  sortKeys,
  strategicMergePatch,
  stringifyJson,
  textIn,
} from '@tsukube/machinery';
import { checkedAs } from '../../registry/object-form.ts';
import { nameUndeterminable } from '../../registry/object-meta.ts';
import type { Schema } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { encodeObject } from '../../registry/stored-form.ts';
import { bodyType } from './body.ts';
import { keepManagedFieldsReset, reportStrict } from './decode.ts';
import { goTypeMeta, type TypeMeta, type TypeMismatch, typeMetaError, typeMetaOf, typeMismatch } from './type-meta.ts';
import type { FieldValidation } from './write-options.ts';

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;
type PatchType = (typeof patchTypes)[number];

const strategic = 'application/strategic-merge-patch+json';

export interface DecodedPatch {
  readonly type: PatchType;
  readonly value: ParsedValue;
  readonly duplicates: readonly string[];
  /** Whether it contains numbers whose spelling matters. */
  readonly hasNumberLiterals?: boolean | undefined;
}

/** Throws 415, worded as by Kubernetes' router. Custom objects have no type and accept no strategic merge patch. */
export function negotiatePatchType(request: ResourceRequest): PatchType;
export function negotiatePatchType<T extends string>(request: ResourceRequest, more: readonly T[]): PatchType | T;
export function negotiatePatchType(request: ResourceRequest, more: readonly string[] = []): string {
  if (request.version.schema.form) return bodyType(request, [...patchTypes.filter((type) => type !== strategic), ...more]);
  try {
    if (request.exchange.header('content-type')) return bodyType(request, [...patchTypes, ...more]);
  } catch {
    // Worded below.
  }
  throw StatusError.generic(415, '415: Unsupported Media Type');
}

/** JSON and merge patches of built-in types are merged as text, so numbers keep their spelling. */
export function parsePatch(body: Buffer, type: PatchType, { form }: Schema): DecodedPatch {
  const { value, duplicates, hasNumberLiterals } = parse(body, type, type === strategic || form ? 'plain' : 'literal');
  if (type === 'application/json-patch+json') {
    const unknown = jsonPatchStrictErrors(value);
    return { type, value, duplicates: [...duplicates.map((problem) => `json patch ${problem}`), ...unknown], hasNumberLiterals };
  }
  if (value === null && type === strategic) return { type, value: {}, duplicates };
  if (!isParsedObject(value)) throw undecodable(cannotUnmarshal(value, 'map[string]interface {}'), type);
  return { type, value, duplicates, hasNumberLiterals };
}

function parse(body: Buffer, type: PatchType, numbers: NumberForm): ParsedJson<ParsedValue> {
  try {
    return parseJson(body, { numbers });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw undecodable(inPatch(error.message, type), type);
    throw error;
  }
}

/** Names the field of a JSON patch that holds the number. */
function inPatch(problem: string, type: PatchType): string {
  if (type !== 'application/json-patch+json') return problem;
  return problem.replace(/ Go value (of type float64)$/, ' Go struct field jsonPatchOp.value $1');
}

function undecodable(problem: string, type: PatchType): StatusError {
  return StatusError.badRequest(type === strategic ? problem : `error decoding patch: ${problem}`);
}

/** Applies the patch and checks the result against its type. Throws a StatusError. */
export function applyPatch(
  request: ResourceRequest,
  patch: DecodedPatch,
  current: JsonObject,
  schema: Schema,
  validation: FieldValidation,
): JsonObject {
  const patched = patchedValue(patch, current, schema);
  if (!isParsedObject(patched)) throw refused(stringifyJson(patched), `${typeMetaError}${cannotUnmarshal(patched, goTypeMeta)}`);
  checkKind(patched, current, patch, schema, request.info.name);
  const source = patch.type === strategic ? 'values' : 'text';
  const checked = checkedAs(keepManagedFieldsReset(patched, request), schema, {
    source,
    hasNumberLiterals: patch.hasNumberLiterals,
  });
  if (checked.error === undefined && checked.unknown.length + patch.duplicates.length === 0) return checked.value;
  const { refuse, error = checked.error, unknown = checked.unknown } = reportOf(patched, current, patch, schema);
  if (error !== undefined) throw refuse(error);
  reportStrict([...patch.duplicates, ...unknown], validation, request, refuse);
  return checked.value;
}

interface PatchReport {
  readonly refuse: (problem: string) => StatusError;
  readonly error?: string | undefined;
  readonly unknown?: readonly string[];
}

/**
 * How the errors of a patch are worded. Kubernetes merges strategic merge patches as values and quotes the patch. It merges the
 * others as text, quotes the result and reports problems in the order of that text.
 */
function reportOf(patched: ParsedObject, current: JsonObject, patch: DecodedPatch, schema: Schema): PatchReport {
  if (patch.type === strategic) {
    const left = consumedPatch(patch.value as JsonObject, current);
    return { refuse: (problem) => refused(goValueText(left), problem) };
  }
  if (schema.form) return { refuse: (problem) => refused(stringifyJson(sortKeys(patched)), problem) };
  const text =
    patch.type === 'application/merge-patch+json' ? mergedText(patched, current) : operatedText(patched, current, patch);
  const { value, hasNumberLiterals } = parseJson(Buffer.from(text), { numbers: 'typed' });
  const { error, unknown } = checkedAs(value as ParsedObject, schema, { hasNumberLiterals });
  return { refuse: (problem) => refused(text, problem), error, unknown };
}

/** Applies the operations again, with touched objects sorted as in the quoted text. */
function operatedText(patched: ParsedObject, current: JsonObject, { value }: DecodedPatch): string {
  const { kind, apiVersion } = patched;
  const sorted = jsonPatch(current, value, { sortTouched: true }) as ParsedObject;
  return textOfPatched(
    { ...sorted, ...(kind !== undefined && { kind }), ...(apiVersion !== undefined && { apiVersion }) },
    current,
  );
}

/**
 * Throws if the patch changes the type meta. Strategic merge patches are merged into a typed value and cannot; custom objects are
 * checked by their validation.
 */
function checkKind(patched: ParsedObject, current: JsonObject, patch: DecodedPatch, schema: Schema, name: string): void {
  if (schema.form) return;
  if (patch.type !== strategic)
    checkTypeMeta(patched, name, (problem) => reportOf(patched, current, patch, schema).refuse(problem));
  const kind = textIn(current, 'kind');
  const apiVersion = textIn(current, 'apiVersion');
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const expected = { kind, group, version, schema };
  const meta = patch.type === strategic ? undefined : typeMetaOf(patched, expected);
  const mismatch = meta && typeMismatch(meta, expected, () => false);
  if (mismatch) throw reportOf(patched, current, patch, schema).refuse(reasonOf(mismatch, meta));
  patched.kind = kind;
  patched.apiVersion = apiVersion;
}

/** Without an apiVersion Kubernetes assumes the internal version, in which the name cannot be determined. */
function checkTypeMeta({ apiVersion, kind }: ParsedObject, name: string, refuse: (problem: string) => StatusError): void {
  for (const [field, value] of Object.entries({ apiVersion, kind })) {
    if (value === undefined || value === null || typeof value === 'string') continue;
    throw refuse(typeMetaError + cannotUnmarshal(value, 'string').replace('Go value', `Go struct field .${field}`));
  }
  if (!apiVersion) throw nameUndeterminable(name);
}

function reasonOf(mismatch: TypeMismatch, { kind, apiVersion }: TypeMeta): string {
  if (mismatch.is !== 'other version') return mismatch.reason;
  return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} where this object is`;
}

function patchedValue({ type, value }: DecodedPatch, current: JsonObject, { catalogue, type: name }: Schema): ParsedValue {
  if (type === 'application/json-patch+json') return jsonPatch(current, value);
  if (type === 'application/merge-patch+json') return mergePatch(current, value);
  return strategicMergePatch(current, value as JsonObject, catalogue.get(name), catalogue);
}

function refused(shown: string, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(path('patch'), shown, problem);
  return StatusError.invalid({ group: '', kind: '' }, '', errors);
}

/**
 * The text of a merged document as Kubernetes quotes it: objects that the patch touched or added have sorted keys, the others keep
 * their order.
 */
export function mergedText(merged: ParsedObject, current: JsonObject): string {
  const inOrder: ParsedObject = {};
  for (const key of Object.keys(merged)) inOrder[key] = inOrderOfMerge(merged[key] as ParsedValue, getKey(current, key));
  return textOfPatched(inOrder, current);
}

/** Sorts the top-level keys. Untouched metadata is written in the order of storage. */
export function textOfPatched(patched: ParsedObject, current: JsonObject): string {
  const parts = Object.keys(patched)
    .sort()
    .map((key) => {
      const value = patched[key] as ParsedValue;
      const isUntouched = key === 'metadata' && value === current.metadata;
      return `${JSON.stringify(key)}:${isUntouched ? metadataText(metadataOf(current)) : stringifyJson(value)}`;
    });
  return `{${parts.join(',')}}`;
}

function inOrderOfMerge(value: ParsedValue, before: JsonValue | undefined): ParsedValue {
  if (value === before) return value;
  if (!isObject(before)) return sortKeys(value);
  if (!isParsedObject(value)) return value;
  const sorted: ParsedObject = {};
  for (const key of Object.keys(value).sort())
    setKey(sorted, key, inOrderOfMerge(value[key] as ParsedValue, getKey(before, key)));
  return sorted;
}

function metadataText(metadata: JsonValue): string {
  const text = encodeObject({ kind: '', apiVersion: '', metadata });
  return text.slice(text.indexOf('"metadata":') + '"metadata":'.length, -1);
}
