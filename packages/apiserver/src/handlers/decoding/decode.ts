import {
  apiVersionOf,
  type CheckedObject,
  goQuote,
  isObject,
  isParsedObject,
  type JsonObject,
  JsonSyntaxError,
  type KubeObject,
  type ParsedObject,
  type ParsedValue,
  ProtobufError,
  parseApiVersion,
  StatusError,
  sortKeys,
  strictErrors,
  typeMetaMismatch,
  YamlSyntaxError,
} from '@tsukube/machinery';
import type { ApiRequest } from '../../http/api-request.ts';
import { checkedAs } from '../../registry/object-form.ts';
import type { Resource, Schema, ServedVersion } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { bodyType, lightBody, type ObjectType, objectTypes, type ParsedBody, parseBody } from './body.ts';
import { nonEmpty, type TypeMeta, typeMetaError, typeMetaOf, typeMismatch } from './type-meta.ts';
import type { FieldValidation } from './write-options.ts';

/** The type that a body is decoded as. */
export interface BodyTarget {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly schema: Schema;
  /** Versions of the kind that exist but are not accepted here. */
  readonly others?: readonly ServedVersion[];
  /** Old apiVersions with the same schema that are accepted too: policy/v1beta1. */
  readonly also?: readonly string[];
}

/** Decodes the body, converts it to the hub version and applies defaults. Rejects with a StatusError. */
export async function decodeBody(request: ResourceRequest, validation: FieldValidation): Promise<KubeObject> {
  const { resource, version } = request;
  const target = { ...version, kind: resource.names.kind, others: resource.versions };
  const hub = toHub(await decodeChecked(request, target, validation), resource, version);
  request.notes?.requestObject(version.converter ? version.converter.fromHub(hub) : hub, version.schema);
  return hub;
}

/** Decodes the body as a type, without conversion and defaults. Rejects with a StatusError. */
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
  const misfit = typeMetaMismatch(parsed.value);
  if (!isParsedObject(parsed.value) || misfit !== undefined) throw unrecognized(target.kind, misfit ?? '', body);
  const found = target.schema.form ? customTypeMeta(parsed.value, target, body) : builtInTypeMeta(parsed.value, target, body);
  const checked = checkedAs(keepManagedFieldsReset(parsed.value, request), target.schema, {
    hasNumberLiterals: parsed.hasNumberLiterals,
  });
  if (checked.error !== undefined) throw cannotHandle(found, target.kind, checked.error);
  if (validation !== 'Ignore' && checked.unknown.length + parsed.duplicates.length > 0) {
    const problems = strictProblems(parsed, checked, target, type, body);
    reportStrict(problems, validation, request, (text) => cannotHandle(found, target.kind, text));
  }
  return checked.value;
}

/**
 * Kubernetes decodes JSON directly into a type and reports problems in the order of the text. YAML is first converted to JSON with
 * sorted keys, and custom objects are decoded into a map: for those, duplicate fields are reported before unknown ones.
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
  const { unknown } = checked.unknown.length > 1 ? checkedAs(sortKeys(parsed.value) as ParsedObject, schema) : checked;
  return [...parsed.duplicates, ...unknown];
}

async function parseObject(body: Buffer, type: ObjectType, { kind, schema }: BodyTarget): Promise<ParsedBody> {
  try {
    return await parseBody(body, type, () => schema, schema.form ? 'plain' : 'typed');
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw unrecognized(kind, `${typeMetaError}${error.message}`, body);
    if (error instanceof YamlSyntaxError || error instanceof ProtobufError) throw unrecognized(kind, error.message, body);
    throw error;
  }
}

interface FoundType {
  readonly kind: string;
  readonly version: string;
}

/** Fills in missing type meta. Throws if it is of another kind or version. */
function builtInTypeMeta(value: ParsedObject, target: BodyTarget, body: Buffer): FoundType {
  const meta = typeMetaOf(value, target);
  const { kind, apiVersion } = meta;
  const version = parseApiVersion(apiVersion)?.version ?? apiVersion;
  if (kind !== target.kind || !target.also?.includes(apiVersion)) throwOnMismatch(meta, version, target, body);
  value.kind = kind;
  value.apiVersion = apiVersion;
  return { kind, version };
}

function throwOnMismatch(meta: TypeMeta, version: string, target: BodyTarget, body: Buffer): void {
  const isVersion = (apiVersion: string) => target.others?.some((other) => apiVersionOf(other) === apiVersion) ?? false;
  const mismatch = typeMismatch(meta, target, isVersion);
  if (mismatch === undefined) return;
  if (mismatch.is === 'other version') throw wrongVersion(meta.apiVersion, apiVersionOf(target));
  if (mismatch.is === 'unreadable') throw unrecognized(target.kind, mismatch.reason, body);
  throw cannotHandle({ kind: meta.kind, version }, target.kind, mismatch.reason);
}

function wrongVersion(apiVersion: ParsedValue, expected: string): StatusError {
  return StatusError.badRequest(
    `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
  );
}

/** A custom object must have type meta. Its validation checks whether the kind is right. */
function customTypeMeta(value: ParsedObject, target: BodyTarget, body: Buffer): FoundType {
  const kind = nonEmpty(value.kind);
  if (kind === undefined) throw unrecognized(target.kind, `Object 'Kind' is missing in '${body}'`, body);
  const [apiVersion, expected] = [value.apiVersion ?? '', apiVersionOf(target)];
  if (apiVersion !== expected) throw wrongVersion(apiVersion, expected);
  return { kind, version: target.version };
}

/** Warns of unknown and duplicate fields, or throws if validation is strict. */
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

/** The problems of a YAML document are one error of several lines; each line is a warning. */
function warningsOf(problem: string): readonly string[] {
  const start = problem.indexOf(yamlPrefix);
  if (start < 0) return [problem];
  const lines = problem.slice(start + yamlPrefix.length).split('\n');
  return lines.map((line) => line.trim());
}

/** Converts a decoded object to the hub version and applies defaults. */
export function toHub(object: JsonObject, resource: Resource, version: ServedVersion): KubeObject {
  const hub = (version.converter ? version.converter.toHub(object) : object) as KubeObject;
  if (!isObject(hub.metadata)) hub.metadata = {};
  resource.strategy.applyDefaults?.(hub);
  return hub;
}

/**
 * `managedFields: []` resets managedFields. Decoding drops empty lists, so it is replaced with `[{}]`, which means the same.
 */
export function keepManagedFieldsReset(object: ParsedObject, request: ResourceRequest): ParsedObject {
  const { metadata } = object;
  if (!isParsedObject(metadata) || !Array.isArray(metadata.managedFields) || metadata.managedFields.length > 0) return object;
  if (!request.objects.services.fieldManagement) return object;
  return { ...object, metadata: { ...metadata, managedFields: [{}] } };
}

function cannotHandle(found: FoundType, expected: string, reason: string): StatusError {
  return StatusError.badRequest(
    `${found.kind} in version ${goQuote(found.version)} cannot be handled as a ${expected}: ${reason}`,
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
