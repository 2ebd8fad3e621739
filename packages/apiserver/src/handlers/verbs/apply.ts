import { type JsonObject, type KubeObject, type ObjectMeta, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureName, ensureNamespace, nameUndeterminable } from '../../registry/object-meta.ts';
import type { Application } from '../../registry/object-registry.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import {
  type AppliedConfiguration,
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

/** Server-side apply: merges a configuration into the object, or creates it. */
export async function apply(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const options = patchOptions(request, true);
  const configuration = await readConfiguration(body);
  const context = applyContext(request, options);
  const application = applicationOf(request, configuration, options);
  const { entry, outcome } = await request.objects.apply(request.info.name, application, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Apply creates missing objects, but not through a subresource. */
function applyContext(request: ResourceRequest, { dryRun, fieldManager }: PatchOptions): WriteContext {
  const context = writeContext(request, dryRun, fieldManager);
  return { ...context, strategy: { ...context.strategy, allowCreateOnUpdate: request.subresource === undefined } };
}

function applicationOf(request: ResourceRequest, configuration: AppliedConfiguration, options: PatchOptions): Application {
  const { resource, version } = request;
  return {
    configuration: configuration.value,
    force: options.force,
    validate: () => checkConfiguration(configuration, { ...version, kind: resource.names.kind }),
    complete(merged, existing) {
      reportDuplicates(configuration, options.fieldValidation, request);
      return completed(typedResult(merged, configuration, version.schema), !existing, request);
    },
  };
}

function completed(merged: JsonObject, isNew: boolean, request: ResourceRequest): KubeObject {
  const { resource, version, info } = request;
  const object = toHub(merged, resource, version);
  if (isNew) checkCreation(object.metadata, request);
  ensureNamespace(resource, object.metadata, resource.scope === 'Namespaced' ? info.namespace : '');
  ensureName(object.metadata, info.name);
  return object;
}

function checkCreation(metadata: ObjectMeta, { version, resource, info }: ResourceRequest): void {
  if (!metadata.name) throw nameUndeterminable(info.name);
  if (!metadata.uid) return;
  const reason = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  throw StatusError.conflict({ group: version.group, resource: resource.names.plural }, info.name, reason);
}
