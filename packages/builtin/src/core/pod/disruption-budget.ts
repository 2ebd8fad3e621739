import { asServer, decodeObject, type ObjectRegistry, type WriteContext } from '@tsukube/apiserver';
import {
  formatTime,
  type JsonObject,
  type KubeObject,
  labelSelectorOf,
  numberIn,
  objectIn,
  objectsIn,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import { isConditionTrue } from '../../common/conditions.ts';
import { statusOf } from '../../common/objects.ts';

const maxDisruptedPods = 2_000;
const budgetExceeded = "Cannot evict pod as it would violate the pod's disruption budget.";

/** The PodDisruptionBudgets that select a pod. */
export async function budgetsOf(registry: ObjectRegistry, pod: KubeObject, namespace: string): Promise<KubeObject[]> {
  const { entries } = await registry.cache.list(registry.prefix(namespace));
  const { labels } = pod.metadata;
  return entries.map((entry) => decodeObject(entry.value)).filter((budget) => selects(budget, labels));
}

function selects(budget: JsonObject, labels: JsonObject | undefined): boolean {
  try {
    return labelSelectorOf(objectIn(objectIn(budget, 'spec'), 'selector')).matches(labels);
  } catch {
    return false;
  }
}

/**
 * Decrements disruptionsAllowed of a budget. Throws 429 if it is exhausted. Returns true if the pod is not ready and may be
 * evicted without being counted, provided that it has not changed since.
 */
export async function allowDisruption(
  registry: ObjectRegistry,
  budget: KubeObject,
  pod: KubeObject,
  context: WriteContext,
): Promise<boolean> {
  if (!isConditionTrue(objectIn(pod, 'status'), 'Ready') && allowsUnhealthyEviction(budget)) return true;
  const { name: podName = '' } = pod.metadata;
  const { name = '' } = budget.metadata;
  if (context.dryRun) decremented(budget, podName);
  else {
    // The server itself updates the budget, and that is admitted.
    const writing = { ...asServer(registry, context.namespace, 'status'), isOver: context.isOver };
    await registry.update(name, undefined, (current) => decremented(current as KubeObject, podName), writing);
  }
  return false;
}

function allowsUnhealthyEviction(budget: JsonObject): boolean {
  const status = objectIn(budget, 'status');
  if (objectIn(budget, 'spec')?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const desired = numberIn(status, 'desiredHealthy');
  return desired > 0 && numberIn(status, 'currentHealthy') >= desired;
}

function decremented(budget: KubeObject, podName: string): JsonObject {
  const status = statusOf(budget);
  const { metadata } = budget;
  check(status, metadata, textIn(metadata, 'name'));
  const left = numberIn(status, 'disruptionsAllowed') - 1;
  const disruptedPods = { ...objectIn(status, 'disruptedPods'), [podName]: formatTime(Date.now()) };
  const next: JsonObject = { ...status, disruptionsAllowed: left, disruptedPods };
  if (left === 0) next.conditions = exhausted(status);
  return { ...budget, status: next };
}

function check(status: JsonObject, metadata: JsonObject, name: string): void {
  const resource = { group: 'policy', resource: 'poddisruptionbudget' };
  if (numberIn(status, 'observedGeneration') < numberIn(metadata, 'generation'))
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, 10);
  const allowed = numberIn(status, 'disruptionsAllowed');
  if (allowed < 0) throw StatusError.forbidden(resource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(objectIn(status, 'disruptedPods') ?? {}).length > maxDisruptedPods) {
    const reason = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw StatusError.forbidden(resource, name, reason);
  }
  if (allowed === 0) throw tooMany(exhaustedMessage(status, name), 0);
}

function tooMany(message: string, retryAfterSeconds: number): StatusError {
  const { status } = StatusError.tooManyRequests(budgetExceeded, retryAfterSeconds);
  return new StatusError({ ...status, details: { ...status.details, causes: [{ reason: 'DisruptionBudget', message }] } });
}

function exhaustedMessage(status: JsonObject, name: string): string {
  const condition = objectsIn(status, 'conditions').find(({ type }) => type === 'DisruptionAllowed');
  const told = condition?.status === 'False' ? textIn(condition, 'message') : '';
  if (told !== '' && condition?.reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${told}`;
  const [current, desired] = [numberIn(status, 'currentHealthy'), numberIn(status, 'desiredHealthy')];
  if (current <= desired) return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  const reason = told === '' ? '' : ` (${textIn(condition, 'reason')}): ${told}`;
  return `The disruption budget ${name} does not allow evicting pods currently${reason}`;
}

function exhausted(status: JsonObject): JsonObject[] {
  const others = objectsIn(status, 'conditions').filter(({ type }) => type !== 'DisruptionAllowed');
  const condition: JsonObject = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: numberIn(status, 'observedGeneration'),
    lastTransitionTime: formatTime(Date.now()),
    reason: 'InsufficientPods',
    message: '',
  };
  return [...others, condition];
}
