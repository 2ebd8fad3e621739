import { StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiate } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { type ScaleManagement, scaleManagement } from '../registry/scale-management.ts';
import { decodeObject } from '../registry/stored-form.ts';
import type { Column, Resource, Schema, Subresource } from '../resource.ts';
import { type AnswerScale, scaleAnswers } from './answer-scale.ts';
import { applyType } from './apply.ts';
import { checkConfiguration, readConfiguration, reportDuplicates, typedResult } from './apply-configuration.ts';
import { lightBody } from './body.ts';
import { ownedContext, writeContext } from './context.ts';
import { decodeAs } from './decode.ts';
import { patchOptions, type WriteOptions, writeOptions } from './options.ts';
import { applyPatch, parsePatch, patchType } from './patch-body.ts';
import { type Scalable, type ScaleOf, scaled, scaleOf } from './scale-object.ts';

export type { Scalable } from './scale-object.ts';

interface Scaling {
  readonly scalable: Scalable;
  readonly schema: Schema;
  readonly managementOf: (resource: Resource) => ScaleManagement;
  readonly answer: AnswerScale;
}

const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The scale of a kind, as autoscaling/v1 Scale. `schema` and `columns` are those of Scale. */
export function scaleSubresource(scalable: Scalable, schema: Schema, columns: readonly Column[]): Subresource {
  const known = new WeakMap<Resource, ScaleManagement>();
  const managementOf = (resource: Resource): ScaleManagement => {
    const management = known.get(resource) ?? scaleManagement(resource, schema, scalable.replicasPath);
    known.set(resource, management);
    return management;
  };
  const scaling = { scalable, schema, managementOf, answer: scaleAnswers(scalable, schema, columns) };
  return {
    kind,
    verbs: {
      get: (request) => getScale(request, scaling),
      update: (request) => updateScale(request, scaling),
      patch: (request) => patchScale(request, scaling),
    },
  };
}

async function getScale(request: ResourceRequest, { scalable, answer }: Scaling): Promise<Answer> {
  const output = negotiate(request, 'objects');
  const { objects, info } = request;
  const entry = await objects.cache.get(objects.key(info.namespace, info.name));
  if (!entry) throw StatusError.notFound({ group: request.version.group, resource: info.resource }, info.name);
  scalable.checkReadable?.(decodeObject(entry.value));
  return answer(entry, request, output);
}

async function updateScale(request: ResourceRequest, scaling: Scaling): Promise<Answer> {
  const options = writeOptions(request, 'UpdateOptions');
  const scale = await decodeAs(request, { ...kind, schema: scaling.schema }, options.fieldValidation);
  return writeScale(
    request,
    scaling,
    options,
    tracked(request, scaling, options, () => ({ ...scale })),
  );
}

async function patchScale(request: ResourceRequest, scaling: Scaling): Promise<Answer> {
  const type = patchType(request, request.objects.services.fieldManagement ? [applyType] : []);
  if (type === applyType) return applyScale(request, scaling);
  const options = patchOptions(request, false);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const patch = parsePatch(body, type, scaling.schema);
  const patched: ScaleOf = (current) => applyPatch(request, patch, current, scaling.schema, options.fieldValidation);
  return writeScale(request, scaling, options, tracked(request, scaling, options, patched));
}

/** Who updates or patches owns what it changes. */
function tracked(request: ResourceRequest, { managementOf }: Scaling, options: WriteOptions, next: ScaleOf): ScaleOf {
  const { services } = request.objects;
  if (!services.fieldManagement) return next;
  const { fieldManager = '' } = ownedContext(request, options);
  return (current) => {
    const scale = next(current);
    managementOf(request.resource).track(current, scale, fieldManager, services.now());
    return scale;
  };
}

async function applyScale(request: ResourceRequest, scaling: Scaling): Promise<Answer> {
  const { schema, managementOf } = scaling;
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const options = patchOptions(request, true);
  const configuration = await readConfiguration(body);
  const { fieldManager: manager, force, fieldValidation } = options;
  return writeScale(request, scaling, options, (current) => {
    checkConfiguration(configuration, { ...kind, schema });
    const merge = { manager, force, now: request.objects.services.now() };
    const merged = managementOf(request.resource).apply(current, configuration.value, merge);
    reportDuplicates(configuration, fieldValidation, request);
    return typedResult(merged, configuration, schema);
  });
}

async function writeScale(request: ResourceRequest, scaling: Scaling, options: WriteOptions, next: ScaleOf): Promise<Answer> {
  const output = negotiate(request, 'objects');
  const { objects, resource, version, info } = request;
  const { scalable } = scaling;
  const management = objects.services.fieldManagement && scaling.managementOf(resource);
  // What the scale changes is the object itself, under the object's own rules; its owners are found by way of the scale.
  const strategy = { ...resource.strategy, allowCreateOnUpdate: false };
  const context = { ...writeContext(request, options.dryRun), strategy };
  const { entry } = await objects.update(
    info.name,
    undefined,
    (existing) => {
      if (!existing) throw StatusError.notFound({ group: version.group, resource: resource.names.plural }, info.name);
      const scale = next(scaleOf(existing, scalable, management?.recordFor(existing)));
      return scaled(existing, scale, request, scalable, management);
    },
    context,
  );
  return scaling.answer(entry, request, output);
}
