import { type JsonObject, objectsIn } from '@tsukube/machinery';

/** The outcome of one attempt to delete the contents of a namespace. */
export interface DeletionResult {
  /** GROUP/VERSION of aggregated APIs that do not answer. */
  readonly staleVersions: readonly string[];
  /** Messages of failed deletions, at most one for each resource. */
  readonly failures: readonly string[];
  /** resource.group → instances */
  readonly resources: ReadonlyMap<string, number>;
  /** finalizer → instances */
  readonly finalizers: ReadonlyMap<string, number>;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a namespace whose contents are gone, in the order in which they are added. */
const successful = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  ['NamespaceDeletionGroupVersionParsingFailure', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  ['NamespaceDeletionContentFailure', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
  ['NamespaceContentRemaining', 'ContentRemoved', 'All content successfully removed'],
  ['NamespaceFinalizersRemaining', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
] as const;

/** The status with the conditions of a terminating namespace; the same object if they are up to date. */
export function withConditions(status: JsonObject, result: DeletionResult, now: string): JsonObject {
  const conditions = [...objectsIn(status, 'conditions')];
  let isChanged = false;
  for (const condition of conditionsOf(result)) {
    const i = conditions.findIndex(({ type }) => type === condition.type);
    const before = conditions[i];
    if (before && isSame(before, condition)) continue;
    isChanged = true;
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime ?? now) : now;
    const { type, reason, message } = condition;
    const next = { type, status: condition.status, lastTransitionTime, reason, message };
    if (before) conditions[i] = next;
    else conditions.push(next);
  }
  return isChanged ? { ...status, conditions } : status;
}

function isSame(before: JsonObject, { status, reason, message }: Condition): boolean {
  return before.status === status && before.reason === reason && before.message === message;
}

function conditionsOf(result: DeletionResult): Condition[] {
  const failed = new Map(failuresOf(result).map((condition) => [condition.type, condition]));
  return successful.map(([type, reason, message]) => failed.get(type) ?? { type, status: 'False', reason, message });
}

function failuresOf({ staleVersions, failures, resources, finalizers }: DeletionResult): Condition[] {
  const conditions: Condition[] = [];
  const add = (type: string, reason: string, message: string) => conditions.push({ type, status: 'True', reason, message });
  if (staleVersions.length > 0) add('NamespaceDeletionDiscoveryFailure', 'DiscoveryFailed', discoveryFailure(staleVersions));
  if (failures.length > 0) {
    const message = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
    add('NamespaceDeletionContentFailure', 'ContentDeletionFailed', message);
  }
  if (resources.size > 0) {
    const list = listed(resources, (resource, count) => `${resource} has ${count} resource instances`);
    add('NamespaceContentRemaining', 'SomeResourcesRemain', `Some resources are remaining: ${list}`);
  }
  if (finalizers.size > 0) {
    const list = listed(finalizers, (finalizer, count) => `${finalizer} in ${count} resource instances`);
    const message = `Some content in the namespace has finalizers remaining: ${list}`;
    add('NamespaceFinalizersRemaining', 'SomeFinalizersRemain', message);
  }
  return conditions;
}

function discoveryFailure(staleVersions: readonly string[]): string {
  const groups = [...staleVersions].sort().map((version) => `${version}: stale GroupVersion discovery: ${version}`);
  const message = `unable to retrieve the complete list of server APIs: ${groups.join(', ')}`;
  return `Discovery failed for some groups, ${groups.length} failing: ${message}`;
}

function listed(counts: ReadonlyMap<string, number>, format: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => format(name, count))
    .sort()
    .join(', ');
}
