import type { Authorizer, Resource } from '@tsukube/apiserver';
import {
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
} from './access-reviews.ts';

/** What is answered is what the authorizer says that judges requests. */
export function authorizationResources(authorizer: Authorizer): readonly Resource[] {
  return [
    localSubjectAccessReview(authorizer),
    selfSubjectAccessReview(authorizer),
    selfSubjectRulesReview(authorizer),
    subjectAccessReview(authorizer),
  ];
}
