import {
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
  stringifyJson,
} from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiate } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { ensureNamespace } from '../registry/before-create.ts';
import { encodeObject } from '../registry/stored-form.ts';
import { bodyType, readRequestBody } from './body.ts';
import { writeContext } from './context.ts';
import { reportStrict, toHub } from './decode.ts';
import { type FieldValidation, writeOptions } from './options.ts';
import { answerEntry } from './represent.ts';
import { checkName } from './update.ts';

export const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
] as const;
type PatchType = (typeof patchTypes)[number];

interface Patch {
  readonly type: PatchType;
  readonly value: JsonValue;
  readonly duplicates: readonly string[];
}

export async function patch(request: ResourceRequest): Promise<Answer> {
  const type = patchType(request);
  const output = negotiate(request, true);
  const options = writeOptions(request, 'PatchOptions');
  const parsed = parsePatch(await readRequestBody(request), type);
  const context = writeContext(request, options.dryRun);
  const transform = (existing: JsonObject | undefined) => {
    if (!existing)
      throw StatusError.notFound({ group: request.version.group, resource: request.resource.names.plural }, request.info.name);
    return applyPatch(request, parsed, existing, options.fieldValidation);
  };
  const { entry, outcome } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Fails with 415 in the words of the router that Kubernetes uses. */
function patchType(request: ResourceRequest): PatchType {
  try {
    return bodyType(request, patchTypes);
  } catch {
    throw StatusError.generic(415, '415: Unsupported Media Type');
  }
}

function parsePatch(body: Buffer, type: PatchType): Patch {
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
  const found =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : isObject(value)
          ? 'object'
          : typeof value === 'boolean'
            ? 'bool'
            : typeof value === 'string'
              ? 'string'
              : 'number';
  return StatusError.badRequest(`error decoding patch: json: cannot unmarshal ${found} into Go value of type ${target}`);
}

/** Patches are written against the version they are sent to; the result is checked as if it had been sent whole. */
function applyPatch(request: ResourceRequest, patch: Patch, existing: JsonObject, validation: FieldValidation): JsonObject {
  const { resource, version } = request;
  const current = version.converter ? version.converter.fromHub(existing) : existing;
  const type = version.schema.catalogue.get(version.schema.type);
  const patched = patchedValue(patch, current, request);
  if (!isObject(patched)) throw invalidPatch(patched, 'json: cannot unmarshal into an object');
  const checked = checkObject(patched, type, version.schema.catalogue);
  if (checked.error !== undefined) throw invalidPatch(patched, checked.error);
  reportStrict([...patch.duplicates, ...checked.unknown], validation, request, (text) => invalidPatch(patched, text));
  const hub = toHub(checked.value as JsonObject, resource, version);
  const metadata = hub.metadata as JsonObject;
  hub.kind ??= existing.kind as string;
  hub.apiVersion ??= existing.apiVersion as string;
  ensureNamespace(resource, metadata, request.info.namespace);
  checkName(metadata, request.info.name);
  return hub;
}

function patchedValue({ type, value }: Patch, current: JsonObject, { version }: ResourceRequest): JsonValue {
  if (type === 'application/json-patch+json') return jsonPatch(current, value);
  if (type === 'application/merge-patch+json') return mergePatch(current, value);
  const { catalogue, type: name } = version.schema;
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
