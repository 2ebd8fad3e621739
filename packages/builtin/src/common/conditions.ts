import {
  type FieldErrors,
  type FieldPath,
  formatMessage,
  formatTime,
  type JsonObject,
  numberIn,
  objectsIn,
  textIn,
  validateLabelName,
} from '@tsukube/machinery';

const statuses = ['False', 'True', 'Unknown'];
const maxReason = 1024;
const maxMessage = 32 * 1024;
const reasonPattern = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonMessage = formatMessage(
  'a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or "_,:", and must end with an alphanumeric character or "_"',
  reasonPattern,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

/** Validates conditions of type metav1.Condition. */
export function validateConditions(conditions: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, condition] of conditions.entries()) {
    const type = textIn(condition, 'type');
    if (seen.has(type)) errors.duplicate(at.index(i).child('type'), type);
    seen.add(type);
    validateCondition(condition, at.index(i), errors);
  }
}

function validateCondition(condition: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const generation = numberIn(condition, 'observedGeneration');
  validateLabelName(textIn(condition, 'type'), at.child('type'), errors);
  if (!statuses.includes(textIn(condition, 'status')))
    errors.notSupported(at.child('status'), textIn(condition, 'status'), statuses);
  if (generation < 0) errors.invalid(at.child('observedGeneration'), generation, 'must be greater than or equal to zero');
  if (!condition.lastTransitionTime) errors.required(at.child('lastTransitionTime'));
  validateReason(textIn(condition, 'reason'), at.child('reason'), errors);
  if (Buffer.byteLength(textIn(condition, 'message')) > maxMessage) errors.tooLong(at.child('message'), maxMessage);
}

function validateReason(reason: string, at: FieldPath, errors: FieldErrors): void {
  if (reason === '') {
    errors.required(at);
    return;
  }
  if (!new RegExp(`^${reasonPattern}$`).test(reason)) errors.invalid(at, reason, reasonMessage);
  if (Buffer.byteLength(reason) > maxReason) errors.tooLong(at, maxReason);
}

/** The fields of a pod condition that callers set. */
export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Adds or replaces a condition; lastTransitionTime changes only when the status of the condition changes. */
export function setCondition(status: JsonObject, condition: PodCondition): void {
  const conditions = [...objectsIn(status, 'conditions')];
  const at = conditions.findIndex(({ type }) => type === condition.type);
  const existing = conditions[at];
  const since = existing?.status === condition.status ? existing.lastTransitionTime : undefined;
  const { type, status: value, reason, message } = condition;
  const next: JsonObject = {
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime: since ?? formatTime(Date.now()),
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
  };
  if (existing) conditions[at] = next;
  else conditions.push(next);
  status.conditions = conditions;
}

export function isConditionTrue(status: JsonObject | undefined, type: string): boolean {
  return objectsIn(status, 'conditions').some((condition) => condition.type === type && condition.status === 'True');
}
