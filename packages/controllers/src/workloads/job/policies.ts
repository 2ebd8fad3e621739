import type { batchV1, coreV1 } from '@tsukube/api/kinds';
import { parseIndexes } from './indexes.ts';

type Job = batchV1.Job;

export interface PodFailure {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  /** Why the Job fails. */
  readonly message?: string;
}

/** How the pod failure policy of a Job treats a failed pod: the action of the first rule that matches. */
export function podFailure({ spec }: Job, pod: coreV1.Pod): PodFailure {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const cause = exitCodeCause(rule, pod) ?? conditionCause(rule, pod);
    if (cause === undefined) continue;
    const message = `${cause} matching ${rule.action} rule at index ${index}`;
    return rule.action === 'FailJob' ? { action: 'FailJob', message } : { action: rule.action as PodFailure['action'] };
  }
  return { action: 'Count' };
}

function exitCodeCause({ onExitCodes }: batchV1.PodFailurePolicyRule, { metadata, status }: coreV1.Pod): string | undefined {
  if (!onExitCodes) return undefined;
  const { containerName, operator, values } = onExitCodes;
  const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const found = all.find(({ name, state }) => {
    const code = state?.terminated?.exitCode ?? 0;
    if (code === 0 || (containerName && containerName !== name)) return false;
    return values.includes(code) === (operator === 'In');
  });
  return (
    found &&
    `Container ${found.name} for pod ${metadata.namespace}/${metadata.name} failed with exit code ${found.state?.terminated?.exitCode}`
  );
}

function conditionCause(
  { onPodConditions, onExitCodes }: batchV1.PodFailurePolicyRule,
  { metadata, status }: coreV1.Pod,
): string | undefined {
  if (onExitCodes) return undefined;
  const found = onPodConditions?.find((pattern) =>
    status?.conditions?.some(({ type, status: value }) => type === pattern.type && value === pattern.status),
  );
  return found && `Pod ${metadata.namespace}/${metadata.name} has condition ${found.type}`;
}

/** Why the success policy of an indexed Job is met; undefined if it is not. */
export function successReason({ spec }: Job, succeeded: ReadonlySet<number>): string | undefined {
  const index = (spec?.successPolicy?.rules ?? []).findIndex(({ succeededIndexes, succeededCount }) => {
    const needed = succeededIndexes === undefined ? undefined : parseIndexes(succeededIndexes, spec?.completions ?? 0);
    const count = needed ? [...needed].filter((each) => succeeded.has(each)).length : succeeded.size;
    return count >= (succeededCount ?? needed?.size ?? Number.POSITIVE_INFINITY);
  });
  return index < 0 ? undefined : `Matched rules at index ${index}`;
}
