import {
  apiVersionOf,
  type CheckedObject,
  goQuote,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  ProtobufError,
  parseApiVersion,
  StatusError,
  sortKeys,
  strictErrors,
  typeMetaMisfit,
  YamlSyntaxError,
} from '@tsukube/machinery';
import type { ApiRequest } from '../../http/api-request.ts';
import { checkedAs } from '../../registry/object-form.ts';
import type { Resource, Schema, ServedVersion } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { bodyType, lightBody, type ObjectType, objectTypes, type ParsedBody, parseBody } from './body.ts';
import { objectionTo, type Stated, statedBy } from './type-meta.ts';
import type { FieldValidation } from './write-options.ts';

/** What a body has to be. */
export interface BodyTarget {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
  /** Versions of the same kind that are known, but not meant here. */
  readonly others?: readonly ServedVersion[];
  /** Versions of the past in which the same is said in the same words: policy/v1beta1. */
  readonly also?: readonly string[];
}

/** The object in the body, checked, in the hub version and with defaults. Every way in which it can be wrong is a StatusError. */
export async function decodeBody(request: ResourceRequest, validation: FieldValidation): Promise<JsonObject> {
  const { resource, version } = request;
  const target = { ...version, kind: resource.names.kind, others: resource.versions };
  const hub = toHub(await decodeChecked(request, target, validation), resource, version);
  request.notes?.requestObject(version.converter ? version.converter.fromHub(hub) : hub, version.schema);
  return hub;
}

/** The object in the body as it was sent, checked against a type. */
export async function decodeAs(request: ResourceRequest, target: BodyTarget, validation: FieldValidation): Promise<JsonObject> {
  const object = await decodeChecked(request, target, validation);
  request.notes?.requestObject(object, target.schema);
  return object;
}

async function decodeChecked(request: ResourceRequest, target: BodyTarget, validation: FieldValidation): Promise<JsonObject> {
  const type = bodyType(request, objectTypes);
  const body = await lightBody(request);
  request.onResume?.(request);
  const parsed = await parseObject(body, type, target);
  request.onResume?.(request);
  const schemaMismatch = typeMetaMisfit(parsed.value);
  if (!isObject(parsed.value) || schemaMismatch !== undefined) throw unrecognized(target.kind, schemaMismatch ?? '', body);
  const stated = target.schema.form ? statedFully(parsed.value, target, body) : statedKind(parsed.value, target, body);
  const checked = checkedAs(keepAskedReset(parsed.value, request), target.schema, {
    hasNumberLiterals: parsed.hasNumberLiterals,
  });
  if (checked.error !== undefined) throw cannotHandle(stated, target.kind, checked.error);
  if (validation !== 'Ignore' && checked.unknown.length + parsed.duplicates.length > 0) {
    const problems = strictProblems(parsed, checked, target, type, body);
    reportStrict(problems, validation, request, (text) => cannotHandle(stated, target.kind, text));
  }
  return checked.value;
}

/**
 * Kubernetes decodes JSON into a type as it reads it, and tells of problems as they come. YAML becomes JSON with sorted
 * keys first, and what has no type becomes a map: their repeated fields are told of before the unknown ones.
 */
function strictProblems(
  parsed: ParsedBody,
  checked: CheckedObject,
  { schema }: BodyTarget,
  type: ObjectType,
  body: Buffer,
): readonly string[] {
  if (schema.form) return [...parsed.duplicates, ...checked.unknown];
  if (type !== 'application/yaml') return strictErrors(parsed.duplicates, checked.unknown, body);
  const { unknown } = checked.unknown.length > 1 ? checkedAs(sortKeys(parsed.value) as JsonObject, schema) : checked;
  return [...parsed.duplicates, ...unknown];
}

async function parseObject(body: Buffer, type: ObjectType, { kind, schema }: BodyTarget): Promise<ParsedBody> {
  try {
    return await parseBody(body, type, () => schema, schema.form ? 'plain' : 'typed');
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, body);
    if (error instanceof YamlSyntaxError || error instanceof ProtobufError) throw unrecognized(kind, error.message, body);
    throw error;
  }
}

/** Fills in kind and apiVersion where they are left out; refuses those of another kind or version. */
function statedKind(value: JsonObject, target: BodyTarget, body: Buffer): { kind: string; version: string } {
  const stated = statedBy(value, target);
  const { kind, apiVersion } = stated;
  const version = parseApiVersion(apiVersion)?.version ?? apiVersion;
  if (kind !== target.kind || !target.also?.includes(apiVersion)) refuseOthers(stated, version, target, body);
  value.kind = kind;
  value.apiVersion = apiVersion;
  return { kind, version };
}

function refuseOthers(stated: Stated, version: string, target: BodyTarget, body: Buffer): void {
  const isVersion = (apiVersion: string) => target.others?.some((other) => apiVersionOf(other) === apiVersion) ?? false;
  const objection = objectionTo(stated, target, isVersion);
  if (objection === undefined) return;
  if (objection.is === 'other version') throw wrongVersion(stated.apiVersion, apiVersionOf(target));
  if (objection.is === 'unreadable') throw unrecognized(target.kind, objection.reason, body);
  throw cannotHandle({ kind: stated.kind, version }, target.kind, objection.reason);
}

function wrongVersion(apiVersion: JsonValue, expected: string): StatusError {
  return StatusError.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

/** An object without a type must say what it is; whether that is the right kind is for its validation to say. */
function statedFully(value: JsonObject, target: BodyTarget, body: Buffer): { kind: string; version: string } {
  const kind = nonEmpty(value.kind);
  if (kind === undefined) throw unrecognized(target.kind, `Object 'Kind' is missing in '${body}'`, body);
  const [apiVersion, expected] = [value.apiVersion ?? '', apiVersionOf(target)];
  if (apiVersion !== expected) throw wrongVersion(apiVersion, expected);
  return { kind, version: target.version };
}

function nonEmpty(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Unknown and duplicate fields are warned of, or refused where the client asked for that. */
export function reportStrict(
  problems: readonly string[],
  validation: FieldValidation,
  request: ApiRequest,
  refuse: (text: string) => StatusError,
): void {
  if (problems.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse(`strict decoding error: ${problems.join(', ')}`);
  for (const problem of problems) for (const warning of warningsOf(problem)) request.warn(warning);
}

const yamlPrefix = 'yaml: unmarshal errors:\n';

/** All that is wrong with a YAML document is one error of several lines, and each line a warning. */
function warningsOf(problem: string): readonly string[] {
  const start = problem.indexOf(yamlPrefix);
  if (start < 0) return [problem];
  const lines = problem.slice(start + yamlPrefix.length).split('\n');
  return lines.map((line) => line.trim());
}

export function toHub(object: JsonObject, resource: Resource, version: ServedVersion): JsonObject {
  const hub = version.converter ? version.converter.toHub(object) : object;
  if (!isObject(hub.metadata)) hub.metadata = {};
  resource.strategy.applyDefaults?.(hub);
  return hub;
}

function cannotHandle(stated: { kind: string; version: string }, expected: string, reason: string): StatusError {
  return StatusError.badRequest(
    `${stated.kind} in version ${goQuote(stated.version)} cannot be handled as a ${expected}: ${reason}`,
  );
}

function unrecognized(kind: string, reason: string, body: Buffer): StatusError {
  return StatusError.badRequest(`the object provided is unrecognized (must be of type ${kind}): ${reason} (${summary(body)})`);
}

const summaryLength = 30;

/** The beginning of the body: as text if it looks like JSON, otherwise in hexadecimal. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const encoding = body[0] === 0x7b ? 'utf8' : 'hex';
  const cut = body.subarray(0, summaryLength).toString(encoding);
  return body.length > summaryLength ? `${cut} ...` : cut;
}

/**
 * An empty record of owners asks that nobody own anything any more. Like every empty list it would be dropped; the
 * other way to ask for the same, one empty entry, is not.
 */
export function keepAskedReset(object: JsonObject, request: ResourceRequest): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !Array.isArray(metadata.managedFields) || metadata.managedFields.length > 0) return object;
  if (!request.objects.services.fieldManagement) return object;
  return { ...object, metadata: { ...metadata, managedFields: [{}] } };
}
