import {
  deepCopy,
  FieldErrors,
  isObject,
  type JsonObject,
  type KubeObject,
  type ObjectMeta,
  path,
  StatusError,
} from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiate, type Output } from '../../http/negotiation.ts';
import { admissionAttributes, mutateObject } from '../../registry/admission-attributes.ts';
import { ensureName, ensureNamespace } from '../../registry/object-meta.ts';
import type { Column, Resource, Schema, ServedVersion, Subresource } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { type ReplicasPathIn, type ScaleManagement, scaleManagement } from '../../registry/scale-management.ts';
import { decodeObject, encodeObject } from '../../registry/stored-form.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { checkConfiguration, readConfiguration, reportDuplicates, typedResult } from '../decoding/apply-configuration.ts';
import { lightBody } from '../decoding/body.ts';
import { decodeAs } from '../decoding/decode.ts';
import { applyPatch, negotiatePatchType, parsePatch } from '../decoding/patch-body.ts';
import { type DecodedWriteOptions, fieldManagerOf, patchOptions, writeContext, writeOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';
import { applyType } from './apply.ts';

/** Maps a kind to Scale. Objects are in the hub version. */
export interface Scalable {
  replicas(object: JsonObject): number;
  /** Returns a copy. */
  withReplicas(object: JsonObject, replicas: number): JsonObject;
  currentReplicas(object: JsonObject): number;
  /** The label selector as a string. */
  selector(object: JsonObject): string;
  /** Throws if the object has no scale. */
  checkReadable?(object: JsonObject): void;
  /** The object's own validation checks the number of replicas. */
  readonly hasOwnRules?: boolean;
  /** The path of the replicas in a version, as FieldsV1 elements, if not spec.replicas. */
  readonly replicasPath?: ReplicasPathIn;
}

interface Scaling {
  readonly scalable: Scalable;
  readonly schema: Schema;
  readonly managementOf: (resource: Resource) => ScaleManagement;
  readonly answer: AnswerScale;
}

const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** The scale subresource of a kind, as autoscaling/v1 Scale. `schema` and `columns` are those of Scale. */
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
    tracked(request, scaling, options, () => deepCopy(scale)),
  );
}

async function patchScale(request: ResourceRequest, scaling: Scaling): Promise<Answer> {
  const type = negotiatePatchType(request, request.objects.services.fieldManagement ? [applyType] : []);
  if (type === applyType) return applyScale(request, scaling);
  const options = patchOptions(request, false);
  const body = await lightBody(request);
  request.notes?.requestPatch(body);
  const patch = parsePatch(body, type, scaling.schema);
  const patched: ScaleOf = (current) => applyPatch(request, patch, current, scaling.schema, options.fieldValidation);
  return writeScale(request, scaling, options, tracked(request, scaling, options, patched));
}

/** Records the field manager of an update or patch in the managedFields of the scale. */
function tracked(request: ResourceRequest, { managementOf }: Scaling, options: DecodedWriteOptions, next: ScaleOf): ScaleOf {
  const { services } = request.objects;
  if (!services.fieldManagement) return next;
  const fieldManager = fieldManagerOf(request, options);
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

async function writeScale(
  request: ResourceRequest,
  scaling: Scaling,
  options: DecodedWriteOptions,
  next: ScaleOf,
): Promise<Answer> {
  const output = negotiate(request, 'objects');
  const { objects, resource, version, info } = request;
  const { scalable } = scaling;
  const management = objects.services.fieldManagement && scaling.managementOf(resource);
  // The write updates the object itself, by its own strategy. Its managedFields are derived from those of the scale.
  const strategy = { ...resource.strategy, allowCreateOnUpdate: false };
  const context = writeContext(request, options.dryRun, null);
  const admission = scaleAdmission(request, scaling, context);
  const { entry } = await objects.update(
    info.name,
    undefined,
    (existing) => {
      if (!existing) throw StatusError.notFound({ group: version.group, resource: resource.names.plural }, info.name);
      const old = scaleOf(existing, scalable, management?.managedFieldsOf(existing));
      const scale = next(old) as KubeObject;
      prepareScale(scale, request);
      const finish = () => scaled(existing, scale, request, scalable, management);
      const mutating = admission.mutate(scale, old);
      return mutating ? mutating.then(finish) : finish();
    },
    { ...context, strategy, isAdmitted: true, validateUpdate: admission.validate },
  );
  return scaling.answer(entry, request, output);
}

/** Admission sees scales instead of the scaled objects. */
interface ScaleAdmission {
  mutate(scale: KubeObject, old: KubeObject): void | Promise<void>;
  /** Takes the scaled objects. */
  validate(object: KubeObject, old: KubeObject): void | Promise<void>;
}

function scaleAdmission(
  { objects, resource, info }: ResourceRequest,
  { scalable, schema }: Scaling,
  context: WriteContext,
): ScaleAdmission {
  const { admission } = objects.services;
  const body = { ...kind, schema };
  const attributesOf = (object: KubeObject, oldObject: KubeObject) =>
    admissionAttributes('UPDATE', resource, { name: info.name, object, oldObject, body }, context);
  return {
    mutate: (scale, old) => mutateObject(admission, attributesOf(scale, old), scale, context),
    validate: (object, old) => admission.validate(attributesOf(scaleOf(object, scalable), scaleOf(old, scalable))),
  };
}

/** Computes the new scale, with managedFields, from the current one. */
type ScaleOf = (current: JsonObject) => JsonObject;

function scaleOf(object: KubeObject, scalable: Scalable, managedFields?: JsonObject[]): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = scalable.selector(object);
  const replicas = scalable.replicas(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, ...(managedFields && { managedFields }) } as ObjectMeta,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: scalable.currentReplicas(object), ...(selector ? { selector } : {}) },
  };
}

/** Checks the names of a scale, and sets those that are absent. */
function prepareScale(scale: KubeObject, { info, resource }: ResourceRequest): void {
  scale.metadata ??= {};
  ensureNamespace(resource, scale.metadata, info.namespace);
  ensureName(scale.metadata, info.name);
}

/** The object with the replicas of a scale. */
function scaled(
  existing: KubeObject,
  scale: KubeObject,
  request: ResourceRequest,
  scalable: Scalable,
  management: ScaleManagement | undefined,
): KubeObject {
  const { metadata } = scale;
  const replicas = Number((isObject(scale.spec) ? scale.spec.replicas : undefined) ?? 0);
  if (!scalable.hasOwnRules) validateReplicas(replicas, request.info.name);
  checkUid(metadata, existing.metadata, request);
  const object = scalable.withReplicas(existing, replicas) as KubeObject;
  const { managedFields: before, ...rest } = object.metadata;
  const managedFields = management ? management.managedFieldsAfter(existing, scale, request.version) : before;
  const { resourceVersion = '' } = metadata;
  return { ...object, metadata: { ...rest, resourceVersion, ...(managedFields && { managedFields }) } };
}

function validateReplicas(replicas: number, name: string): void {
  if (replicas >= 0) return;
  const errors = new FieldErrors();
  errors.invalid(path('spec', 'replicas'), replicas, 'must be greater than or equal to 0');
  throw StatusError.invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
}

function checkUid({ uid }: ObjectMeta, existing: ObjectMeta, { version, resource, info }: ResourceRequest): void {
  if (!uid || uid === existing.uid) return;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.uid}`;
  throw StatusError.conflict({ group: version.group, resource: `${resource.names.plural}/scale` }, info.name, reason);
}

/** Encodes the scale of an object in the negotiated representation. */
type AnswerScale = (entry: CacheEntry, request: ResourceRequest, output: Output) => Answer | Promise<Answer>;

function scaleAnswers(scalable: Scalable, schema: Schema, columns: readonly Column[]): AnswerScale {
  const version: ServedVersion = { group: 'autoscaling', version: 'v1', schema, columns };
  return (entry, request, output) => {
    const names = { ...request.resource.names, kind: 'Scale' };
    const resource = { ...request.resource, names, hub: version, versions: [version] };
    const scale = scaleEntry(entry, scaleOf(decodeObject(entry.value), scalable));
    const { query, exchange, objects } = request;
    return answerEntry(200, scale, { resource, version, query, exchange, objects }, output);
  };
}

function scaleEntry({ key, revision, created }: CacheEntry, scale: JsonObject): CacheEntry {
  return { key, value: Buffer.from(encodeObject(scale)), revision, created, derived: undefined };
}
