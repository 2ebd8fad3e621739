import { type FieldErrors, type JsonObject, mapIn, metadataOf, objectIn, path, textIn } from '@tsukube/machinery';

const annotation = 'api-approved.kubernetes.io';
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
const needed = `protected groups must have approval annotation "${annotation}"`;

export const missingApproval = `${needed}, ${see}`;
export const invalidApproval = `${needed} with either a URL or a reason starting with "unapproved", ${see}`;

export type ApprovalState = 'missing' | 'bypassed' | 'approved' | 'invalid';

export interface Approval {
  readonly state: ApprovalState;
  /** The value of the annotation. */
  readonly value: string;
}

/** The API approval of a definition in a group of the Kubernetes project; undefined for other groups. */
export function approvalOf(group: string, annotations: Readonly<Record<string, string>>): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return undefined;
  const value = annotations[annotation] ?? '';
  return { state: stateOf(value), value };
}

function stateOf(value: string): ApprovalState {
  if (value === '') return 'missing';
  if (value.startsWith('unapproved')) return 'bypassed';
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(value) ? 'approved' : 'invalid';
}

export function validateApproval(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const group = textIn(objectIn(object, 'spec'), 'group');
  const approval = approvalOf(group, annotationsOf(object));
  if (!approval || (old && approvalOf(group, annotationsOf(old))?.state === approval.state)) return;
  const at = path('metadata', 'annotations').key(annotation);
  if (approval.state === 'missing') errors.required(at, missingApproval);
  if (approval.state === 'invalid') errors.invalid(at, approval.value, invalidApproval);
}

function annotationsOf(object: JsonObject): Readonly<Record<string, string>> {
  return mapIn(metadataOf(object), 'annotations');
}
