import {
  type Action,
  actionSubresource,
  actionVerb,
  type ObjectRegistry,
  type Resource,
  type ServedVersion,
  type Subresource,
  type WriteContext,
} from '@tsukube/apiserver';
import {
  FieldErrors,
  type JsonObject,
  type KubeObject,
  mapIn,
  type ObjectMeta,
  objectIn,
  objectsIn,
  path,
  type Status,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import { setCondition } from '../../common/conditions.ts';
import { sortedMap, specOf, statusOf } from '../../common/objects.ts';
import { schemaOf } from '../../common/schema.ts';

const bindingKind = { group: '', version: 'v1', kind: 'Binding', schema: schemaOf('core.v1.Binding') };
const pods = { group: '', resource: 'pods' };

/** Assigns a pod to a node. Used by schedulers. */
export const podBinding: Subresource = actionSubresource(
  { ...bindingKind, keepsMetadata: true },
  (request, binding, context, validate) => {
    if (textIn(metadataIn(binding), 'name') !== request.info.name)
      throw StatusError.badRequest('name in URL does not match name in Binding object');
    return bind(request.objects, binding, context, validate);
  },
);

const v1: ServedVersion = { group: '', version: 'v1', schema: bindingKind.schema };

/** The deprecated top-level resource `bindings`. */
export const binding: Resource = {
  names: { plural: 'bindings', singular: 'binding', kind: 'Binding', listKind: 'BindingList' },
  scope: 'Namespaced',
  // Virtual: nothing is stored.
  storagePrefix: '',
  hub: v1,
  versions: [v1],
  strategy: {},
  verbs: {
    create: actionVerb(bindingKind, (request, body, context, validate) => bindNamed(request, body, context, validate)),
  },
};

const bindNamed: Action = async (request, body, context, validate) => {
  const objects = request.objectsOf('', 'pods');
  if (!objects) throw StatusError.pathNotFound();
  const { resource } = objects;
  return bind(objects, body, { ...context, version: resource.hub, strategy: resource.strategy }, validate);
};

/** Assigns a pod to a node on behalf of a scheduler in this process. */
export async function bindPod(pods: ObjectRegistry, binding: KubeObject, context: WriteContext): Promise<void> {
  await bind(pods, binding, { ...context, subresource: 'binding' }, async () => {});
}

async function bind(
  objects: ObjectRegistry,
  binding: KubeObject,
  context: WriteContext,
  validate: Parameters<Action>[3],
): Promise<Status> {
  validateBinding(binding);
  await validate(binding);
  const metadata = metadataIn(binding);
  const name = textIn(metadata, 'name');
  const uid = textIn(metadata, 'uid') || undefined;
  // Binding changes fields that the update validation of pods rejects.
  const strategy = { allowUnconditionalUpdate: true };
  await objects.update(name, uid, (pod) => bound(pod as KubeObject, name, binding), { ...context, strategy });
  return { status: 'Success' };
}

function metadataIn(binding: JsonObject): JsonObject {
  return objectIn(binding, 'metadata') ?? {};
}

function validateBinding(binding: JsonObject): void {
  const errors = new FieldErrors();
  const target = objectIn(binding, 'target');
  const kind = textIn(target, 'kind');
  if (kind !== '' && kind !== 'Node') errors.notSupported(path('target', 'kind'), kind, ['Node', '<empty>']);
  if (textIn(target, 'name') === '') errors.required(path('target', 'name'));
  if (errors.length > 0) throw new StatusError({ status: 'Failure', message: String(errors), code: 500 });
}

function bound(pod: KubeObject, name: string, binding: JsonObject): JsonObject {
  const metadata = pod.metadata;
  const requested = metadataIn(binding);
  checkVersion(metadata, textIn(requested, 'resourceVersion'), name);
  const spec = specOf(pod);
  const rejection = rejectionOf(metadata, spec, name);
  if (rejection !== undefined) throw StatusError.conflict({ group: '', resource: 'pods/binding' }, name, rejection);
  const { nominatedNodeName: _, ...status } = statusOf(pod);
  setCondition(status, { type: 'PodScheduled', status: 'True' });
  const next: JsonObject = { ...metadata };
  for (const map of ['annotations', 'labels']) merge(next, map, mapIn(requested, map));
  return { ...pod, metadata: next, spec: { ...spec, nodeName: textIn(objectIn(binding, 'target'), 'name') }, status };
}

function checkVersion(metadata: ObjectMeta, expected: string, name: string): void {
  if (expected === '' || expected === metadata.resourceVersion) return;
  const reason = `Precondition failed: ResourceVersion in precondition: ${expected}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
  throw StatusError.conflict(pods, name, reason);
}

function rejectionOf(metadata: JsonObject, spec: JsonObject, name: string): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  const node = textIn(spec, 'nodeName');
  if (node !== '') return `pod ${name} is already assigned to node "${node}"`;
  if (objectsIn(spec, 'schedulingGates').length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function merge(metadata: JsonObject, map: string, added: Readonly<Record<string, string>>): void {
  if (Object.keys(added).length === 0) return;
  metadata[map] = sortedMap(new Map([...Object.entries(mapIn(metadata, map)), ...Object.entries(added)]));
}
