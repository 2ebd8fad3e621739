import { type FieldErrors, type JsonObject, path } from '@tsukube/machinery';
import { metadataOf } from '../columns.ts';
import { mapIn, objectIn, textIn } from '../core/pod-spec/members.ts';

const annotation = 'api-approved.kubernetes.io';
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
const needed = `protected groups must have approval annotation "${annotation}"`;

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

/** Groups of the Kubernetes project are for what the project has approved. */
export function validateApproval(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const group = textIn(objectIn(object, 'spec'), 'group');
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return;
  const state = stateOf(object);
  if (old && stateOf(old) === state) return;
  const at = path('metadata', 'annotations').key(annotation);
  if (state === 'missing') errors.required(at, `${needed}, ${see}`);
  if (state === 'invalid')
    errors.invalid(at, approvalOf(object), `${needed} with either a URL or a reason starting with "unapproved", ${see}`);
}

function approvalOf(object: JsonObject): string {
  return mapIn(metadataOf(object), 'annotations')[annotation] ?? '';
}

function stateOf(object: JsonObject): State {
  const approval = approvalOf(object);
  if (approval === '') return 'missing';
  if (approval.startsWith('unapproved')) return 'bypassed';
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(approval) ? 'approved' : 'invalid';
}
