import { type FieldErrors, formatTime, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';

const conditionsPath = path('status', 'conditions');
/** Conditions whose status must be True. */
const permanentTypes = ['Approved', 'Denied', 'Failed'];
export const decisions = ['Approved', 'Denied'];
const statuses = ['False', 'True', 'Unknown'];

export function conditionsOf(object: JsonObject): readonly JsonObject[] {
  return objectsIn(objectIn(object, 'status'), 'conditions');
}

function ofType(object: JsonObject, type: string): readonly JsonObject[] {
  return conditionsOf(object).filter((condition) => textIn(condition, 'type') === type);
}

/** Restores Approved and Denied conditions of the old object, unless some were added or removed. */
export function keepDecisions(object: JsonObject, old: JsonObject): void {
  for (const type of decisions) {
    const [conditions, before] = [ofType(object, type), ofType(old, type)];
    if (conditions.length !== before.length) continue;
    for (const [i, condition] of conditions.entries()) {
      // A controller may pass the very object of the old state.
      const kept = { ...before[i] };
      for (const key of Object.keys(condition)) delete condition[key];
      Object.assign(condition, kept);
    }
  }
}

export function fillConditionTimes(object: JsonObject, old: JsonObject, now: number): void {
  const timed = conditionsOf(old).filter(({ lastTransitionTime }) => lastTransitionTime);
  const known = new Map(timed.map((condition) => [stateOf(condition), condition.lastTransitionTime] as const).reverse());
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ||= formatTime(now);
    condition.lastTransitionTime ||= known.get(stateOf(condition)) ?? formatTime(now);
  }
}

function stateOf({ type, status }: JsonObject): string {
  return JSON.stringify([type, status]);
}

export function validateCsrConditions(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const seen = new Set<string>();
  const oldTypes = old ? conditionsOf(old).map((condition) => textIn(condition, 'type')) : [];
  const before = new Set(oldTypes);
  const wereDistinct = before.size === oldTypes.length;
  const wasBoth = decisions.every((type) => before.has(type));
  for (const [i, condition] of conditionsOf(object).entries()) {
    const type = textIn(condition, 'type');
    const at = conditionsPath.index(i);
    if (type === '' && !before.has('')) errors.required(at.child('type'));
    validateStatus(textIn(condition, 'status'), permanentTypes.includes(type) ? ['True'] : statuses, i, errors);
    const contrary = decisions.find((other) => other !== type && seen.has(other));
    if (decisions.includes(type) && contrary && !wasBoth)
      errors.invalid(conditionsPath, type, 'Approved and Denied conditions are mutually exclusive');
    if (seen.has(type) && wereDistinct) errors.duplicate(at.child('type'), type);
    seen.add(type);
  }
}

function validateStatus(status: string, allowed: readonly string[], index: number, errors: FieldErrors): void {
  const at = conditionsPath.index(index).child('status');
  if (status === '') errors.required(at);
  else if (!allowed.includes(status)) errors.notSupported(at, status, allowed);
}

/** Approved, Denied and Failed cannot be removed; only /approval adds Approved and Denied. */
export function validateConditionChanges(object: JsonObject, old: JsonObject, mayDecide: boolean, errors: FieldErrors): void {
  for (const type of permanentTypes) {
    if (ofType(object, type).length < ofType(old, type).length)
      errors.forbidden(conditionsPath, `updates may not remove a condition of type "${type}"`);
  }
  if (mayDecide) return;
  for (const type of decisions) {
    if (ofType(object, type).length > ofType(old, type).length)
      errors.forbidden(conditionsPath, `updates may not add a condition of type "${type}"`);
  }
}
