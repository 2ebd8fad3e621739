import type { JsonObject } from '@tsukube/machinery';

/** What a namespace that is going still holds. */
export interface Remaining {
  readonly count: number;
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

/** The conditions that tell why a namespace is still there. A time changes only with its status. */
export function terminationConditions(remaining: Remaining, old: readonly JsonObject[], now: string): JsonObject[] {
  return conditionsOf(remaining).map((condition) => {
    const before = old.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? (before.lastTransitionTime as string) : now;
    return {
      type: condition.type,
      status: condition.status,
      lastTransitionTime,
      reason: condition.reason,
      message: condition.message,
    };
  });
}

function conditionsOf({ resources, finalizers }: Remaining): Condition[] {
  return [
    {
      type: 'NamespaceDeletionDiscoveryFailure',
      status: 'False',
      reason: 'ResourcesDiscovered',
      message: 'All resources successfully discovered',
    },
    {
      type: 'NamespaceDeletionGroupVersionParsingFailure',
      status: 'False',
      reason: 'ParsedGroupVersions',
      message: 'All legacy kube types successfully parsed',
    },
    {
      type: 'NamespaceDeletionContentFailure',
      status: 'False',
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    contentCondition(resources),
    finalizerCondition(finalizers),
  ];
}

function contentCondition(resources: ReadonlyMap<string, number>): Condition {
  const type = 'NamespaceContentRemaining';
  if (resources.size === 0)
    return { type, status: 'False', reason: 'ContentRemoved', message: 'All content successfully removed' };
  const list = sorted(resources).map(([resource, count]) => `${resource} has ${count} resource instances`);
  return { type, status: 'True', reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list.join(', ')}` };
}

function finalizerCondition(finalizers: ReadonlyMap<string, number>): Condition {
  const type = 'NamespaceFinalizersRemaining';
  if (finalizers.size === 0)
    return { type, status: 'False', reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' };
  const list = sorted(finalizers).map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  return {
    type,
    status: 'True',
    reason: 'SomeFinalizersRemain',
    message: `Some content in the namespace has finalizers remaining: ${list.join(', ')}`,
  };
}

function sorted(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}
