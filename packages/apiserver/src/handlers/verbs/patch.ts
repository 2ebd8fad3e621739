import { type JsonObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import type { FieldManagement } from '../../registry/field-management.ts';
import { ensureName, ensureNamespace, nameUndeterminable } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { lightBody } from '../decoding/body.ts';
import { toHub } from '../decoding/decode.ts';
import { applyPatch, type Patch, parsePatch, patchType } from '../decoding/patch-body.ts';
import { type FieldValidation, ownedContext, patchOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';
import { apply, applyType } from './apply.ts';

export async function patch(request: ResourceRequest): Promise<Answer> {
  const { fieldManagement } = request.objects.services;
  const type = patchType(request, fieldManagement ? [applyType] : []);
  if (type === applyType) return apply(request, fieldManagement as FieldManagement);
  const output = negotiateObjects(request);
  const options = patchOptions(request, false);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const parsed = parsePatch(body, type, request.version.schema);
  const context = ownedContext(request, options);
  const transform = (existing: JsonObject | undefined) => {
    if (existing) return patchObject(request, parsed, existing, options.fieldValidation);
    throw StatusError.notFound({ group: request.version.group, resource: request.resource.names.plural }, request.info.name);
  };
  const { entry, outcome } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Patches are written against the version they are sent to; the result is checked as if it had been sent whole. */
function patchObject(request: ResourceRequest, patch: Patch, existing: JsonObject, validation: FieldValidation): JsonObject {
  const { resource, version } = request;
  const current = version.converter ? version.converter.fromHub(existing) : existing;
  const hub = toHub(applyPatch(request, patch, current, version.schema, validation), resource, version);
  const metadata = hub.metadata as JsonObject;
  hub.kind ??= existing.kind as string;
  hub.apiVersion ??= existing.apiVersion as string;
  ensureNamespace(resource, metadata, request.info.namespace);
  if (!metadata.name) throw nameUndeterminable(request.info.name);
  ensureName(metadata, request.info.name);
  return hub;
}
