import type { AccessDecision, AccessPolicy, Resource, User } from '@tsukube/apiserver';
import { type JsonObject, StatusError } from '@tsukube/machinery';
import { objectIn, textIn } from '../core/pod-spec/members.ts';
import { reviewResource } from '../review-resource.ts';
import { accessIn, subjectIn } from './access-attributes.ts';
import { validateAccessReview } from './access-validation.ts';

const group = 'authorization.k8s.io';

/** May they? */
export function subjectAccessReview(policy: AccessPolicy): Resource {
  return reviewResource(group, 'SubjectAccessReview', (object) => {
    validateAccessReview(object, { subject: true, local: false });
    return decided(object, subjectIn(specOf(object)), policy);
  });
}

/** May they, in this namespace? */
export function localSubjectAccessReview(policy: AccessPolicy): Resource {
  const review = (object: JsonObject) => {
    validateAccessReview(object, { subject: true, local: true });
    return decided(object, subjectIn(specOf(object)), policy);
  };
  return reviewResource(group, 'LocalSubjectAccessReview', review, 'Namespaced');
}

/** May I? */
export function selfSubjectAccessReview(policy: AccessPolicy): Resource {
  return reviewResource(group, 'SelfSubjectAccessReview', (object, { user }) => {
    validateAccessReview(object, { subject: false, local: false });
    return decided(object, user, policy);
  });
}

/** What may I? */
export function selfSubjectRulesReview(policy: AccessPolicy): Resource {
  return reviewResource(group, 'SelfSubjectRulesReview', async (object, { user }) => {
    const namespace = textIn(specOf(object), 'namespace');
    if (namespace === '') throw StatusError.badRequest('no namespace on request');
    const { resourceRules, nonResourceRules, incomplete } = await policy.rulesOf(user, namespace);
    const status = { resourceRules: [...resourceRules], nonResourceRules: [...nonResourceRules], incomplete };
    // The namespace is not repeated.
    return { metadata: {}, spec: {}, status };
  });
}

function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

async function decided(object: JsonObject, user: User, policy: AccessPolicy): Promise<JsonObject> {
  return { ...object, status: shown(await policy.decide(user, accessIn(specOf(object)))) };
}

function shown({ allowed, denied, reason }: AccessDecision): JsonObject {
  return { allowed, ...(denied && { denied }), ...(reason && { reason }) };
}
