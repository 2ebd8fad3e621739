import { type KubeObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureName, ensureNamespace, nameUndeterminable } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { lightBody } from '../decoding/body.ts';
import { toHub } from '../decoding/decode.ts';
import { applyPatch, type DecodedPatch, negotiatePatchType, parsePatch } from '../decoding/patch-body.ts';
import { type FieldValidation, fieldManagerOf, patchOptions, writeContext } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';
import { apply, applyType } from './apply.ts';

export async function patch(request: ResourceRequest): Promise<Answer> {
  const type = negotiatePatchType(request, request.objects.services.fieldManagement ? [applyType] : []);
  if (type === applyType) return apply(request);
  const output = negotiateObjects(request);
  const options = patchOptions(request, false);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const parsed = parsePatch(body, type, request.version.schema);
  const context = writeContext(request, options.dryRun, fieldManagerOf(request, options));
  const transform = (existing: KubeObject | undefined) => {
    if (existing) return patchObject(request, parsed, existing, options.fieldValidation);
    throw StatusError.notFound({ group: request.version.group, resource: request.resource.names.plural }, request.info.name);
  };
  const { entry, outcome } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Patches the object in the version of the request. The result is decoded like the body of an update. */
function patchObject(
  request: ResourceRequest,
  patch: DecodedPatch,
  existing: KubeObject,
  validation: FieldValidation,
): KubeObject {
  const { resource, version } = request;
  const current = version.converter ? version.converter.fromHub(existing) : existing;
  const hub = toHub(applyPatch(request, patch, current, version.schema, validation), resource, version);
  hub.kind ??= existing.kind;
  hub.apiVersion ??= existing.apiVersion;
  ensureNamespace(resource, hub.metadata, request.info.namespace);
  if (!hub.metadata.name) throw nameUndeterminable(request.info.name);
  ensureName(hub.metadata, request.info.name);
  return hub;
}
