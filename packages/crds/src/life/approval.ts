import { goQuote } from '@tsukube/machinery';
import type { Definition } from '../definition/definition.ts';
import type { NewCondition } from './conditions.ts';

const annotation = 'api-approved.kubernetes.io';
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
const needed = `protected groups must have approval annotation ${goQuote(annotation)}`;

/** Whether a definition in a group of the Kubernetes project has been approved there; undefined for other groups. */
export function approvalCondition({ group, annotations }: Definition): NewCondition | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const approval = annotations[annotation] ?? '';
  if (approval === '') return { type, status: 'False', reason: 'MissingAnnotation', message: `${needed}, ${see}` };
  if (approval.startsWith('unapproved'))
    return { type, status: 'False', reason: 'UnapprovedAnnotation', message: `not approved: ${goQuote(approval)}` };
  if (/^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(approval))
    return { type, status: 'True', reason: 'ApprovedAnnotation', message: `approved in ${approval}` };
  const message = `${needed} with either a URL or a reason starting with "unapproved", ${see}`;
  return { type, status: 'False', reason: 'InvalidAnnotation', message };
}
