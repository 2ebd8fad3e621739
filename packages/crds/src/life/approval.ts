import { goQuote } from '@tsukube/machinery';
import type { Definition } from '../definition/definition.ts';
import { approvalOf, invalidApproval, missingApproval } from '../validation/approval.ts';
import type { NewCondition } from './conditions.ts';

const type = 'KubernetesAPIApprovalPolicyConformant';

/** The API approval of a definition in a group of the Kubernetes project; undefined for other groups. */
export function approvalCondition({ group, annotations }: Definition): NewCondition | undefined {
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
