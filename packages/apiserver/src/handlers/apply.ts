import {
  apiVersionOf,
  isObject,
  type JsonObject,
  jsonKind,
  misfit,
  parseApiVersion,
  parseYaml,
  StatusError,
  YamlSyntaxError,
} from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { ensureNamespace } from '../registry/before-create.ts';
import type { FieldManagement } from '../registry/field-management.ts';
import { checkedAs, shapeIn } from '../registry/object-form.ts';
import type { WriteContext } from '../registry/object-registry.ts';
import { readRequestBody } from './body.ts';
import { writeContext } from './context.ts';
import { toHub } from './decode.ts';
import { type PatchOptions, patchOptions } from './options.ts';
import { answerEntry } from './represent.ts';
import { checkName } from './update.ts';

export const applyType = 'application/apply-patch+yaml';

interface Application {
  readonly request: ResourceRequest;
  readonly configuration: JsonObject;
  readonly duplicates: readonly string[];
  readonly options: PatchOptions;
  readonly context: WriteContext;
  readonly management: FieldManagement;
}

/** Merges what the client wants into what is there, or creates it. The client owns what it applies. */
export async function apply(request: ResourceRequest, management: FieldManagement): Promise<Answer> {
  const output = negotiateObjects(request);
  const body = await readRequestBody(request);
  const options = patchOptions(request, true);
  request.notes?.requestPatch(body);
  const parsed = await readConfiguration(body);
  const context = applyContext(request, options);
  const application: Application = { request, ...parsed, options, context, management };
  const transform = (existing: JsonObject | undefined) => applied(existing, application);
  const { entry, outcome } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** What does not exist is created, but not by way of a part of it. */
function applyContext(request: ResourceRequest, { dryRun }: PatchOptions): WriteContext {
  const context = writeContext(request, dryRun);
  return { ...context, strategy: { ...context.strategy, allowCreateOnUpdate: request.subresource === undefined } };
}

async function readConfiguration(body: Buffer): Promise<{ configuration: JsonObject; duplicates: readonly string[] }> {
  const { value, duplicates } = await parseYaml(body).catch((error: unknown) => {
    if (error instanceof YamlSyntaxError) throw undecodable(`error converting YAML to JSON: ${error.message}`);
    throw error;
  });
  if (value !== null && !isObject(value)) {
    const mismatch = `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
    throw undecodable(`error unmarshaling JSON: while decoding JSON: ${mismatch}`);
  }
  return { configuration: value ?? {}, duplicates };
}

function undecodable(problem: string): StatusError {
  return StatusError.badRequest(`error decoding YAML: ${problem}`);
}

function applied(existing: JsonObject | undefined, application: Application): JsonObject {
  const { request, configuration, options, context, management } = application;
  const { resource, version, objects } = request;
  checkConfiguration(application);
  const { fieldManager: manager, force } = options;
  const merged = management.apply(resource, existing, configuration, context, { manager, force, now: objects.services.now() });
  reportDuplicates(application);
  const checked = checkedAs(merged, version.schema);
  if (checked.error !== undefined)
    throw failure(`failed to convert new object (${describe(configuration)}) to proper version: ${checked.error}`);
  const hub = toHub(checked.value, resource, version);
  const metadata = hub.metadata as JsonObject;
  if (!existing) checkCreation(metadata, request);
  ensureNamespace(resource, metadata, context.namespace);
  checkName(metadata, request.info.name);
  return hub;
}

function checkConfiguration({ request, configuration }: Application): void {
  const { resource, version } = request;
  if (configuration.kind !== resource.names.kind || configuration.apiVersion !== apiVersionOf(version))
    throw StatusError.badRequest(`invalid object type: ${kindText(configuration)}`);
  const { metadata } = configuration;
  if (isObject(metadata) && metadata.managedFields !== undefined && metadata.managedFields !== null)
    throw StatusError.badRequest('metadata.managedFields must be nil');
  const problem = misfit(configuration, shapeIn(version.schema));
  if (problem !== undefined) throw failure(`failed to create typed patch object (${describe(configuration)}): ${problem}`);
}

function checkCreation(metadata: JsonObject, { version, resource, info }: ResourceRequest): void {
  if (!metadata.name)
    throw StatusError.badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (!metadata.uid) return;
  const reason = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  throw StatusError.conflict({ group: version.group, resource: resource.names.plural }, info.name, reason);
}

/** Keys that a mapping has more than once: one message, with a line for each. */
function reportDuplicates({ request, duplicates, options }: Application): void {
  const [problem] = duplicates;
  if (problem === undefined || options.fieldValidation === 'Ignore') return;
  if (options.fieldValidation === 'Strict')
    throw StatusError.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${problem}`);
  for (const line of problem.split('\n').slice(1)) request.warn(line.trim());
}

/** An error for which Kubernetes has no reason. */
function failure(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

function describe(configuration: JsonObject): string {
  const { namespace = '', name = '' } = isObject(configuration.metadata) ? configuration.metadata : {};
  return `${namespace}/${name}; ${kindText(configuration)}`;
}

function kindText({ apiVersion, kind }: JsonObject): string {
  const { group, version } = parseApiVersion(typeof apiVersion === 'string' ? apiVersion : '') ?? { group: '', version: '' };
  return `${group}/${version}, Kind=${typeof kind === 'string' ? kind : ''}`;
}
