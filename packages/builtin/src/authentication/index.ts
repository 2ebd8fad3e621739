import type { Resource } from '@tsukube/apiserver';
import { selfSubjectReview } from './self-subject-review.ts';
import { type TokenReviewer, tokenReview } from './token-review.ts';

export type { TokenReviewer } from './token-review.ts';

const nobody: TokenReviewer = { authenticate: () => undefined, apiAudiences: [] };

/** By default no token is known. */
export function authenticationResources(tokens: TokenReviewer = nobody): readonly Resource[] {
  return [selfSubjectReview, tokenReview(tokens)];
}
