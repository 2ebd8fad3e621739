import { type JsonObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import type { FieldManagement } from '../../registry/field-management.ts';
import { ensureName, ensureNamespace, nameUndeterminable } from '../../registry/object-meta.ts';
import type { WriteContext } from '../../registry/object-registry.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import {
  type Configuration,
  checkConfiguration,
  readConfiguration,
  reportDuplicates,
  typedResult,
} from '../decoding/apply-configuration.ts';
import { lightBody } from '../decoding/body.ts';
import { toHub } from '../decoding/decode.ts';
import { type PatchOptions, patchOptions, writeContext } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export const applyType = 'application/apply-patch+yaml';

interface Application {
  readonly request: ResourceRequest;
  readonly configuration: Configuration;
  readonly options: PatchOptions;
  readonly context: WriteContext;
  readonly management: FieldManagement;
}

/** Merges what the client wants into what is there, or creates it. The client owns what it applies. */
export async function apply(request: ResourceRequest, management: FieldManagement): Promise<Answer> {
  const output = negotiateObjects(request);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const options = patchOptions(request, true);
  const configuration = await readConfiguration(body);
  const context = applyContext(request, options);
  const application: Application = { request, configuration, options, context, management };
  const transform = (existing: JsonObject | undefined) => applied(existing, application);
  const { entry, outcome } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** What does not exist is created, but not by way of a part of it. */
function applyContext(request: ResourceRequest, { dryRun }: PatchOptions): WriteContext {
  const context = writeContext(request, dryRun);
  return { ...context, strategy: { ...context.strategy, allowCreateOnUpdate: request.subresource === undefined } };
}

function applied(existing: JsonObject | undefined, application: Application): JsonObject | Promise<JsonObject> {
  const { request, configuration, options, context, management } = application;
  const { resource, version, objects } = request;
  checkConfiguration(configuration, { ...version, kind: resource.names.kind });
  const { fieldManager: manager, force } = options;
  const merge = { manager, force, now: objects.services.now() };
  const merged = management.apply(resource, existing, configuration.value, context, merge);
  const finish = (object: JsonObject) => finished(object, existing, application);
  return merged instanceof Promise ? merged.then(finish) : finish(merged);
}

function finished(merged: JsonObject, existing: JsonObject | undefined, application: Application): JsonObject {
  const { request, configuration, options, context } = application;
  const { resource, version } = request;
  reportDuplicates(configuration, options.fieldValidation, request);
  const hub = toHub(typedResult(merged, configuration, version.schema), resource, version);
  const metadata = hub.metadata as JsonObject;
  if (!existing) checkCreation(metadata, request);
  ensureNamespace(resource, metadata, context.namespace);
  ensureName(metadata, request.info.name);
  return hub;
}

function checkCreation(metadata: JsonObject, { version, resource, info }: ResourceRequest): void {
  if (!metadata.name) throw nameUndeterminable(info.name);
  if (!metadata.uid) return;
  const reason = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  throw StatusError.conflict({ group: version.group, resource: resource.names.plural }, info.name, reason);
}
