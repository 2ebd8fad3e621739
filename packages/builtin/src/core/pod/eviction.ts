import {
  type Action,
  actionSubresource,
  decodeObject,
  deleteObject,
  type ResourceRequest,
  type WriteContext,
} from '@tsukube/apiserver';
import {
  isObject,
  type JsonObject,
  type KubeObject,
  listIn,
  objectIn,
  type Status,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import { setCondition } from '../../common/conditions.ts';
import { statusOf } from '../../common/objects.ts';
import { schemaOf } from '../../common/schema.ts';
import { allowDisruption, budgetsOf } from './disruption-budget.ts';

const evictionKind = {
  group: 'policy',
  version: 'v1',
  kind: 'Eviction',
  schema: schemaOf('policy.v1.Eviction'),
  also: ['policy/v1beta1'],
};

/** Deletes a pod if its PodDisruptionBudgets allow it. */
export const podEviction = actionSubresource(evictionKind, evict);

interface Deletion {
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

async function evict(
  request: ResourceRequest,
  eviction: KubeObject,
  context: WriteContext,
  validate: Parameters<Action>[3],
): Promise<Status> {
  const { name } = request.info;
  if (textIn(objectIn(eviction, 'metadata'), 'name') !== name)
    throw StatusError.badRequest('name in URL does not match name in Eviction object');
  const options = objectIn(eviction, 'deleteOptions');
  const dryRun = context.dryRun || listIn(options, 'dryRun').length > 0;
  const writing = { ...context, dryRun };
  if (dryRun && options) options.dryRun = ['All'];
  await validate(eviction);
  const pod = await currentPod(request);
  const deletion = isObject(options) ? (options as Deletion) : {};
  if (canIgnoreBudgets(pod)) await remove(request, deletion, writing);
  else {
    const guarded = await allowed(request, pod, writing);
    await remove(request, guarded ? withVersion(deletion, pod) : deletion, writing);
  }
  return { status: 'Success' };
}

async function currentPod(request: ResourceRequest): Promise<KubeObject> {
  const { objects, info } = request;
  const entry = await objects.cache.get(objects.key(info.namespace, info.name));
  if (!entry) throw StatusError.notFound({ group: '', resource: 'pods' }, info.name);
  return decodeObject(entry.value);
}

/** Pending, finished and terminating pods are evicted regardless of budgets. */
function canIgnoreBudgets(pod: KubeObject): boolean {
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  const isDeleting = pod.metadata.deletionTimestamp !== undefined;
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || isDeleting;
}

/** Throws 429 if a budget is exhausted. Returns true if the pod may only be deleted at the observed resourceVersion. */
async function allowed(request: ResourceRequest, pod: KubeObject, context: WriteContext): Promise<boolean> {
  const registry = request.objectsOf('policy', 'poddisruptionbudgets');
  if (!registry) return false;
  const budgets = await budgetsOf(registry, pod, context.namespace);
  if (budgets.length > 1) throw severalBudgets();
  const [budget] = budgets;
  return budget === undefined ? false : allowDisruption(registry, budget, pod, context);
}

function severalBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return new StatusError({ status: 'Failure', message, code: 500 });
}

function withVersion(deletion: Deletion, pod: KubeObject): Deletion {
  const { resourceVersion = '' } = pod.metadata;
  return { ...deletion, preconditions: { resourceVersion, ...deletion.preconditions } };
}

/** Sets the DisruptionTarget condition, then deletes the pod. */
async function remove(request: ResourceRequest, deletion: Deletion, context: WriteContext): Promise<void> {
  const { objects, info } = request;
  const { uid, resourceVersion } = deletion.preconditions ?? {};
  let preconditions = deletion.preconditions;
  if (!context.dryRun) {
    const strategy = {
      ...objects.resource.strategy,
      prepareForUpdate: undefined,
      validateUpdate: undefined,
      warnings: undefined,
    };
    const { entry } = await objects.update(
      info.name,
      undefined,
      (pod) => markDisrupted(pod as KubeObject, info.name, uid, resourceVersion),
      { ...context, strategy, subresource: 'status' },
    );
    const written = decodeObject(entry.value).metadata.resourceVersion;
    if (resourceVersion !== undefined) preconditions = { ...preconditions, resourceVersion: written };
  }
  await deleteObject(objects, info.name, { ...deletion, preconditions }, { ...context, strategy: objects.resource.strategy });
}

function markDisrupted(pod: KubeObject, name: string, uid: string | undefined, version: string | undefined): JsonObject {
  const metadata = pod.metadata;
  const resource = { group: '', resource: 'Pod' };
  if (uid && uid !== metadata.uid) {
    const reason = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw StatusError.conflict(resource, name, reason);
  }
  if (version && version !== metadata.resourceVersion) {
    const reason = `the ResourceVersion in the precondition (${version}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw StatusError.conflict(resource, name, reason);
  }
  const status = { ...statusOf(pod) };
  setCondition(status, {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  });
  return { ...pod, status };
}
