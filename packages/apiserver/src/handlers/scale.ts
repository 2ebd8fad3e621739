import { FieldErrors, type JsonObject, path, StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiate } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { answerValue } from '../http/respond.ts';
import { decodeObject } from '../registry/stored-form.ts';
import type { Schema, Subresource } from '../resource.ts';
import { readRequestBody } from './body.ts';
import { ownedContext } from './context.ts';
import { decodeAs } from './decode.ts';
import { patchOptions, type WriteOptions, writeOptions } from './options.ts';
import { applyPatch, parsePatch, patchType } from './patch-body.ts';
import { checkName } from './update.ts';

/** How an object is seen as something that has a number of replicas. Objects are in the hub version. */
export interface Scalable {
  replicas(object: JsonObject): number;
  /** Gives a copy with another number. */
  withReplicas(object: JsonObject, replicas: number): JsonObject;
  currentReplicas(object: JsonObject): number;
  /** The label selector in its textual form. */
  selector(object: JsonObject): string;
  /** Fails if there is nothing to show. */
  checkReadable?(object: JsonObject): void;
  /** The object's own validation says which numbers it takes. */
  readonly hasOwnRules?: boolean;
}

/** The scale of a kind, as autoscaling/v1 Scale. `schema` is that of Scale. */
export function scaleSubresource(scalable: Scalable, schema: Schema): Subresource {
  return {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: {
      get: (request) => getScale(request, scalable),
      update: (request) => updateScale(request, scalable, schema),
      patch: (request) => patchScale(request, scalable, schema),
    },
  };
}

async function getScale(request: ResourceRequest, scalable: Scalable): Promise<Answer> {
  const output = negotiate(request, false);
  const { objects, info } = request;
  const entry = await objects.cache.get(objects.key(info.namespace, info.name));
  if (!entry) throw StatusError.notFound({ group: request.version.group, resource: info.resource }, info.name);
  const object = decodeObject(entry.value);
  scalable.checkReadable?.(object);
  return answerValue(200, scaleOf(object, scalable), output);
}

async function updateScale(request: ResourceRequest, scalable: Scalable, schema: Schema): Promise<Answer> {
  const options = writeOptions(request, 'UpdateOptions');
  const target = { group: 'autoscaling', version: 'v1', kind: 'Scale', schema };
  const scale = await decodeAs(request, target, options.fieldValidation);
  return writeScale(request, scalable, options, () => scale);
}

async function patchScale(request: ResourceRequest, scalable: Scalable, schema: Schema): Promise<Answer> {
  const type = patchType(request);
  const options = patchOptions(request, false);
  const body = await readRequestBody(request);
  request.notes?.requestPatch(body);
  const patch = parsePatch(body, type);
  return writeScale(request, scalable, options, (current) =>
    applyPatch(request, patch, current, schema, options.fieldValidation),
  );
}

async function writeScale(
  request: ResourceRequest,
  scalable: Scalable,
  options: WriteOptions,
  wanted: (current: JsonObject) => JsonObject,
): Promise<Answer> {
  const output = negotiate(request, false);
  const transform = (existing: JsonObject | undefined) => {
    if (!existing)
      throw StatusError.notFound({ group: request.version.group, resource: request.resource.names.plural }, request.info.name);
    return scaled(existing, wanted(scaleOf(existing, scalable)), scalable, request.info.name);
  };
  // What the scale changes is the object itself, under the object's own rules.
  const context = { ...ownedContext(request, options), strategy: { ...request.resource.strategy, allowCreateOnUpdate: false } };
  const { entry } = await request.objects.update(request.info.name, undefined, transform, context);
  return answerValue(200, scaleOf(decodeObject(entry.value), scalable), output);
}

function scaled(existing: JsonObject, scale: JsonObject, scalable: Scalable, name: string): JsonObject {
  const metadata = (scale.metadata ?? {}) as JsonObject;
  checkName(metadata, name);
  const replicas = Number(((scale.spec ?? {}) as JsonObject).replicas ?? 0);
  if (!scalable.hasOwnRules) validateReplicas(replicas, name);
  const { resourceVersion } = metadata;
  const object = scalable.withReplicas(existing, replicas);
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...(resourceVersion ? { resourceVersion } : {}) } };
}

function validateReplicas(replicas: number, name: string): void {
  if (replicas >= 0) return;
  const errors = new FieldErrors();
  errors.invalid(path('spec', 'replicas'), replicas, 'must be greater than or equal to 0');
  throw StatusError.invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
}

function scaleOf(object: JsonObject, scalable: Scalable): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata as JsonObject;
  const selector = scalable.selector(object);
  const replicas = scalable.replicas(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as JsonObject,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: scalable.currentReplicas(object), ...(selector ? { selector } : {}) },
  };
}
