import {
  apiVersionOf,
  checkObject,
  goQuote,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  ProtobufError,
  parseApiVersion,
  StatusError,
  YamlSyntaxError,
} from '@tsukube/machinery';
import type { ApiRequest, ResourceRequest } from '../http/request.ts';
import type { Resource, ServedVersion } from '../resource.ts';
import { bodyType, readRequestBody } from './body.ts';
import type { FieldValidation } from './options.ts';
import { type ObjectType, objectTypes, type ParsedBody, parseBody } from './parse-body.ts';

/** The object in the body, checked, in the hub version and with defaults. Every way in which it can be wrong is a StatusError. */
export async function decodeBody(request: ResourceRequest, validation: FieldValidation): Promise<JsonObject> {
  const type = bodyType(request, objectTypes);
  const body = await readRequestBody(request);
  const { resource, version } = request;
  const parsed = await parseObject(body, type, resource.names.kind, version);
  if (!isObject(parsed.value)) throw unrecognized(resource.names.kind, notAnObject(parsed.value), body);
  const stated = statedKind(parsed.value, resource, version);
  const checked = checkObject(parsed.value, version.schema.catalogue.get(version.schema.type), version.schema.catalogue);
  if (checked.error !== undefined) throw cannotHandle(stated, resource.names.kind, checked.error);
  reportStrict([...parsed.duplicates, ...checked.unknown], validation, request, (text) =>
    cannotHandle(stated, resource.names.kind, text),
  );
  return toHub(checked.value as JsonObject, resource, version);
}

async function parseObject(body: Buffer, type: ObjectType, kind: string, version: ServedVersion): Promise<ParsedBody> {
  try {
    return await parseBody(body, type, () => version.schema);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw unrecognized(kind, `couldn't get version/kind; json parse error: ${error.message}`, body);
    if (error instanceof YamlSyntaxError || error instanceof ProtobufError) throw unrecognized(kind, error.message, body);
    throw error;
  }
}

/** Fills in kind and apiVersion where they are left out; refuses those of another kind or version. */
function statedKind(value: JsonObject, resource: Resource, version: ServedVersion): { kind: string; version: string } {
  const expected = apiVersionOf(version);
  const kind = typeof value.kind === 'string' && value.kind !== '' ? value.kind : resource.names.kind;
  const apiVersion = typeof value.apiVersion === 'string' && value.apiVersion !== '' ? value.apiVersion : expected;
  const stated = { kind, version: parseApiVersion(apiVersion)?.version ?? apiVersion };
  if (kind !== resource.names.kind) {
    throw cannotHandle(
      stated,
      resource.names.kind,
      `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} here`,
    );
  }
  if (apiVersion !== expected) {
    if (!resource.versions.some((served) => apiVersionOf(served) === apiVersion)) {
      throw cannotHandle(
        stated,
        resource.names.kind,
        `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} here`,
      );
    }
    throw StatusError.badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  value.kind = kind;
  value.apiVersion = apiVersion;
  return stated;
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
  for (const problem of problems) request.warn(problem);
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

function notAnObject(value: JsonValue): string {
  const found =
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : typeof value === 'boolean'
          ? 'bool'
          : typeof value === 'string'
            ? 'string'
            : 'number';
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into an object`;
}

const summaryLength = 30;

/** The beginning of the body: as text if it looks like JSON, otherwise in hexadecimal. */
function summary(body: Buffer): string {
  if (body.length === 0) return '<empty>';
  const encoding = body[0] === 0x7b ? 'utf8' : 'hex';
  const cut = body.subarray(0, summaryLength).toString(encoding);
  return body.length > summaryLength ? `${cut} ...` : cut;
}
