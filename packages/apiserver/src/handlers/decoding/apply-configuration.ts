import {
  apiVersionOf,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  jsonKind,
  objectIn,
  parseApiVersion,
  parseJson,
  parseYaml,
  StatusError,
  schemaMismatch,
  textIn,
  YamlSyntaxError,
} from '@tsukube/machinery';
import { checkedAs, mergeSchemaIn } from '../../registry/object-form.ts';
import type { Schema } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { FieldValidation } from './write-options.ts';

/** The body of an apply request. */
export interface AppliedConfiguration {
  readonly value: JsonObject;
  readonly duplicates: readonly string[];
}

/** The type that an endpoint accepts. */
export interface AppliedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
}

export async function readConfiguration(body: Buffer): Promise<AppliedConfiguration> {
  const configuration = jsonConfiguration(body);
  if (configuration) return configuration;
  const { value, duplicates } = await parseYaml(body).catch((error: unknown) => {
    if (error instanceof YamlSyntaxError) throw undecodable(`error converting YAML to JSON: ${error.message}`);
    throw error;
  });
  if (value !== null && !isObject(value)) {
    const mismatch = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
    throw undecodable(`error unmarshaling JSON: while decoding JSON: ${mismatch}`);
  }
  return { value: value ?? {}, duplicates };
}

const openBrace = 0x7b;

/** JSON parses many times faster than YAML. Anything unusual goes to the YAML parser, whose errors Kubernetes reports. */
function jsonConfiguration(body: Buffer): AppliedConfiguration | undefined {
  if (body[0] !== openBrace) return undefined;
  try {
    const { value, duplicates } = parseJson(body);
    return isObject(value) && duplicates.length === 0 ? { value, duplicates } : undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function undecodable(problem: string): StatusError {
  return StatusError.badRequest(`error decoding YAML: ${problem}`);
}

/** Throws if the configuration is of another kind or does not match its type. */
export function checkConfiguration({ value }: AppliedConfiguration, target: AppliedKind): void {
  if (value.kind !== target.kind || value.apiVersion !== apiVersionOf(target))
    throw StatusError.badRequest(`invalid object type: ${kindText(value)}`);
  const { metadata } = value;
  if (isObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw StatusError.badRequest('metadata.managedFields must be nil');
  const problem = schemaMismatch(value, mergeSchemaIn(target.schema));
  if (problem !== undefined) throw failure(`failed to create typed patch object (${describe(value)}): ${problem}`);
}

/** Checks the merged object against its type. */
export function typedResult(merged: JsonObject, { value }: AppliedConfiguration, schema: Schema): JsonObject {
  const { error, value: typed } = checkedAs(merged, schema, { source: 'values' });
  if (error === undefined) return typed;
  const where = `unable to convert unstructured object to ${kindText(value)}`;
  throw failure(`failed to convert new object (${describe(value)}) to proper version: ${where}: ${error}`);
}

/** Reports duplicate keys. They are one message with a line for each. */
export function reportDuplicates(
  { duplicates }: AppliedConfiguration,
  validation: FieldValidation,
  request: ResourceRequest,
): void {
  const [problem] = duplicates;
  if (problem === undefined || validation === 'Ignore') return;
  if (validation === 'Strict')
    throw StatusError.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
  for (const line of problem.split('\n').slice(1)) request.warn(line.trim());
}

/** An error to which Kubernetes assigns no reason. */
function failure(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

function describe(configuration: JsonObject): string {
  const metadata = objectIn(configuration, 'metadata');
  return `${textIn(metadata, 'namespace')}/${textIn(metadata, 'name')}; ${kindText(configuration)}`;
}

function kindText({ apiVersion, kind }: JsonObject): string {
  const { group, version } = parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '') ?? { group: '', version: '' };
  return `${group}/${version}, Kind=${typeof kind === 'string' ? kind : ''}`;
}
