import { type JsonObject, objectsIn } from '@tsukube/machinery';

export function isConditionTrue(status: JsonObject | undefined, type: string): boolean {
  return hasCondition(status, type, 'True');
}

export function hasCondition(status: JsonObject | undefined, type: string, value: string): boolean {
  return objectsIn(status, 'conditions').some((condition) => condition.type === type && condition.status === value);
}

export function isFinished(status: JsonObject | undefined): boolean {
  return isConditionTrue(status, 'Complete') || isConditionTrue(status, 'Failed');
}
