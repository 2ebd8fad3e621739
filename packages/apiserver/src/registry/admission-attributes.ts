import { setMaxListeners } from 'node:events';
import { type KubeObject, managedFieldsProblem, StatusError } from '@tsukube/machinery';
import type { Admission, AdmissionAttributes, AdmissionBody, AdmissionOperation, Reinvocation } from './admission.ts';
import { setManagedFields } from './field-management.ts';
import { dedupOwnerReferences } from './object-meta.ts';
import type { Resource } from './resource.ts';
import type { WriteContext } from './write-context.ts';

/** The objects of a write that admission sees. */
export interface AdmittedObjects {
  readonly name: string;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly body?: AdmissionBody | undefined;
}

const ignore = () => {};
const neverAborted = new AbortController().signal;
// Shared by all internal writes.
setMaxListeners(0, neverAborted);
const signalOfNone = () => neverAborted;

/** The state is created on first use: few requests have any. */
class ReinvocationState implements Reinvocation {
  isReinvocation = false;
  isRequested = false;
  #state: Map<string, unknown> | undefined;

  get state(): Map<string, unknown> {
    this.#state ??= new Map();
    return this.#state;
  }
}

export function admissionAttributes(
  operation: AdmissionOperation,
  resource: Resource,
  { name, object, oldObject, body }: AdmittedObjects,
  context: WriteContext,
): AdmissionAttributes {
  const { version, subresource, namespace, user, dryRun, warn } = context;
  return {
    operation,
    resource,
    version,
    subresource,
    namespace: namespace === '' && isNamespace(resource) ? name : namespace,
    name,
    object,
    oldObject,
    body,
    user,
    dryRun,
    options: () => context.options?.(operation),
    warn,
    annotate: context.annotate ?? ignore,
    signal: context.signal ?? signalOfNone,
    reinvocation: new ReinvocationState(),
    effort: context.effort,
  };
}

/** In Kubernetes, the namespace of a request for a Namespace is that Namespace. */
function isNamespace({ names, hub }: Resource): boolean {
  return names.plural === 'namespaces' && hub.group === '';
}

/** The attributes of a create whose name was generated since mutating admission. */
export function withGeneratedName(attributes: AdmissionAttributes, object: KubeObject): AdmissionAttributes {
  return { ...attributes, object, name: object.metadata.name ?? '', reinvocation: new ReinvocationState() };
}

/** Runs mutating admission on the object. managedFields that it made invalid are reset, duplicate owner references are dropped. */
export function mutateObject(
  admission: Admission,
  attributes: AdmissionAttributes,
  object: KubeObject,
  context: WriteContext,
): void | Promise<void> {
  if (context.isAdmitted) return;
  const before = object.metadata.managedFields;
  const mutating = admission.mutate(attributes);
  return mutating ? mutating.then(() => repairMetadata(object, before, context)) : repairMetadata(object, before, context);
}

function repairMetadata(object: KubeObject, before: KubeObject['metadata']['managedFields'], { warn }: WriteContext): void {
  // A patch may have removed them from an object that is not stored, such as a Scale.
  object.metadata ??= {};
  const { metadata } = object;
  const problem = metadata.managedFields === before ? undefined : managedFieldsProblem(metadata);
  if (problem !== undefined) {
    setManagedFields(metadata, before);
    const advice = 'this could be caused by an outdated mutating admission controller; please fix your requests';
    warn(`.metadata.managedFields was in an invalid state after admission; ${advice}: ${problem}`);
  }
  dedupOwnerReferences(metadata, warn, ' after mutating admission happens');
}

/** A 403 that names the object, or its generateName if the name is not generated yet. */
export function forbiddenByAdmission(attributes: AdmissionAttributes, reason: string): StatusError {
  const { resource, version, object, name } = attributes;
  const subject = name || object?.metadata?.name || object?.metadata?.generateName || 'Unknown';
  return StatusError.forbidden({ group: version.group, resource: resource.names.plural }, subject, reason);
}
