import { FieldErrors, formatTime, goQuote, type JsonObject, path } from '@tsukube/machinery';
import type { Condition, ConditionType, Definition } from '../definition/definition.ts';
import { approvalOf, invalidApproval, missingApproval } from '../validation/approval.ts';
import { isCaBundle } from '../validation/conversion.ts';

export type NewCondition = Omit<Condition, 'lastTransitionTime'>;

/** Sets one condition. lastTransitionTime changes only with the status of the condition. */
export function withCondition(conditions: readonly Condition[], added: NewCondition, now: number): readonly Condition[] {
  const found = conditions.find(({ type }) => type === added.type);
  if (!found) return [...conditions, { ...added, lastTransitionTime: formatTime(now) }];
  const isSameStatus = found.status === added.status && found.lastTransitionTime !== undefined;
  const next = { ...added, lastTransitionTime: isSameStatus ? found.lastTransitionTime : formatTime(now) };
  return conditions.map((condition) => (condition === found ? next : condition));
}

export function withoutCondition(conditions: readonly Condition[], type: ConditionType): readonly Condition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function isEquivalent(a: NewCondition, b: NewCondition | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && a.message === b.message;
}

/** The conditions as JSON, without empty fields. */
export function conditionObjects(conditions: readonly Condition[]): JsonObject[] {
  return conditions.map(({ type, status, reason, message, lastTransitionTime }) => ({
    type,
    status,
    ...(lastTransitionTime !== undefined && { lastTransitionTime }),
    ...(reason !== '' && { reason }),
    ...(message !== '' && { message }),
  }));
}

/** A definition is established once its names are accepted, and stays established. */
export function establishedCondition(definition: Definition, old: NewCondition | undefined, accepted: boolean): NewCondition {
  const type = 'Established';
  if (old?.status === 'True') return old;
  if (!accepted) return old ?? { type, status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
  if (!hasUsableConversion(definition)) {
    return { type, status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' };
  }
  return { type, status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };
}

function hasUsableConversion({ conversion }: Definition): boolean {
  if (conversion.strategy !== 'Webhook') return true;
  const { caBundle } = conversion.clientConfig;
  return typeof caBundle !== 'string' || caBundle === '' || isCaBundle(caBundle);
}

/** Only definitions with preserveUnknownFields can be stored without a structural schema: validation refuses all others. */
export function nonStructuralCondition({ preserveUnknownFields }: Definition): NewCondition | undefined {
  if (!preserveUnknownFields) return undefined;
  const errors = new FieldErrors();
  errors.invalid(path('spec', 'preserveUnknownFields'), true, 'must be false');
  return { type: 'NonStructuralSchema', status: 'True', reason: 'Violations', message: String(errors) };
}

/** The API approval of a definition in a group of the Kubernetes project; undefined for other groups. */
export function approvalCondition({ group, annotations }: Definition): NewCondition | undefined {
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const approval = approvalOf(group, annotations);
  switch (approval?.state) {
    case undefined:
      return undefined;
    case 'missing':
      return { type, status: 'False', reason: 'MissingAnnotation', message: missingApproval };
    case 'bypassed':
      return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${goQuote(approval.value)}` };
    case 'approved':
      return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval.value}` };
    case 'invalid':
      return { type, status: 'False', reason: 'InvalidAnnotation', message: invalidApproval };
  }
}
