import { type AccessPolicy, authenticatedMayAll, type Resource } from '@tsukube/apiserver';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from './access-reviews.ts';

/** What is answered is what the policy says; it should be the one that requests are judged by. */
export function authorizationResources(policy: AccessPolicy = authenticatedMayAll): readonly Resource[] {
  return [
    localSubjectAccessReview(policy),
    selfSubjectAccessReview(policy),
    selfSubjectRulesReview(policy),
    subjectAccessReview(policy),
  ];
}
