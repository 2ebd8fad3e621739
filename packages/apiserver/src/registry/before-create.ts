import {
  FieldErrors,
  formatTime,
  type JsonObject,
  nameIsDNSSubdomain,
  nameIsPathSegment,
  newUid,
  path,
  StatusError,
  validateObjectMeta,
  validateQualifiedFinalizers,
} from '@tsukube/machinery';
import type { Resource } from '../resource.ts';
import type { WriteContext } from './object-registry.ts';

/** Gives a new object what only the server may give, and refuses it if it is not valid. */
export function prepareForCreate(resource: Resource, object: JsonObject, context: WriteContext, now: number): void {
  const metadata = object.metadata as JsonObject;
  wipeSystemFields(metadata);
  ensureNamespace(resource, metadata, context.namespace);
  metadata.uid = newUid();
  metadata.creationTimestamp = formatTime(now);
  const { strategy } = context;
  if (strategy.generation) metadata.generation = 1;
  else delete metadata.generation;
  strategy.prepareForCreate?.(object, context.user, context.version);
  validate(resource, object, metadata, context);
  for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
}

/** Whether the server is to generate the name. */
export function needsName({ generateName, name }: JsonObject): boolean {
  return Boolean(generateName) && !name;
}

/** What a client cannot say of an object that does not exist yet. */
export function wipeSystemFields(metadata: JsonObject): void {
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.uid;
  delete metadata.selfLink;
}

/** The namespace of the request holds; an object that names another is refused, one of the cluster loses it. */
export function ensureNamespace(resource: Resource, metadata: JsonObject, namespace: string): void {
  const expected = resource.scope === 'Namespaced' ? namespace : '';
  const stated = metadata.namespace ?? '';
  if (stated === expected) return;
  if (stated !== '' && expected !== '')
    throw StatusError.badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (expected === '') delete metadata.namespace;
  else metadata.namespace = expected;
}

const finalizersPath = path('metadata', 'finalizers');

export function checkFinalizers({ finalizers }: JsonObject, errors: FieldErrors): void {
  if (Array.isArray(finalizers)) validateQualifiedFinalizers(finalizers, finalizersPath, errors);
}

function validate(resource: Resource, object: JsonObject, metadata: JsonObject, context: WriteContext): void {
  const { strategy, version, effort } = context;
  const errors = new FieldErrors();
  const validateName = strategy.validateName ?? nameIsDNSSubdomain;
  validateObjectMeta(metadata, { namespaced: resource.scope === 'Namespaced', validateName }, errors);
  if (strategy.qualifiedFinalizers) checkFinalizers(metadata, errors);
  strategy.validateCreate?.(object, errors, version, effort);
  const name = (metadata.name as string) ?? '';
  // Whatever a kind allows, a name must fit into a path.
  if (errors.length === 0)
    for (const problem of nameIsPathSegment(name, false)) errors.invalid(path('metadata', 'name'), name, problem);
  if (errors.length > 0)
    throw StatusError.invalid({ group: version.errorGroup ?? version.group, kind: resource.names.kind }, name, errors);
}
