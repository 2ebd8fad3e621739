import { formatTime, type JsonObject } from '@tsukube/machinery';
import type { Condition, ConditionType } from '../definition/definition.ts';

export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** The conditions with one of them set; its time is that of its last change of status. */
export function withCondition(conditions: readonly Condition[], wanted: NewCondition, now: number): readonly Condition[] {
  const found = conditions.find(({ type }) => type === wanted.type);
  if (!found) return [...conditions, { ...wanted, lastTransitionTime: formatTime(now) }];
  const isKept = found.status === wanted.status && found.lastTransitionTime !== undefined;
  const next = { ...wanted, lastTransitionTime: isKept ? found.lastTransitionTime : formatTime(now) };
  return conditions.map((condition) => (condition === found ? next : condition));
}

export function withoutCondition(conditions: readonly Condition[], type: ConditionType): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function isEquivalent(a: NewCondition, b: NewCondition | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** As the status has them. */
export function conditionObjects(conditions: readonly Condition[]): JsonObject[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    ...(reason !== '' && { reason }),
    ...(message !== '' && { message }),
  }));
}
