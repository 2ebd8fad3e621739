import { formatTime, type JsonObject, objectsIn } from '@tsukube/machinery';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Adds a condition to a status or changes it; the time of transition moves only with the status. */
export function setCondition(status: JsonObject, condition: PodCondition): void {
  const conditions = [...objectsIn(status, 'conditions')];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const known = conditions[at];
  const since = known?.status === condition.status ? known.lastTransitionTime : undefined;
  const { type, status: value, reason, message } = condition;
  const next: JsonObject = {
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime: since ?? formatTime(Date.now()),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  if (known) conditions[at] = next;
  else conditions.push(next);
  status.conditions = conditions;
}

export function isConditionTrue(status: JsonObject | undefined, type: string): boolean {
  return objectsIn(status, 'conditions').some((condition) => condition.type === type && condition.status === 'True');
}
