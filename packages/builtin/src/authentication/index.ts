import type { Resource } from '@tsukube/apiserver';
import { selfSubjectReview } from './self-subject-review.ts';
import { type TokenLookup, tokenReview } from './token-review.ts';

export type { TokenLookup } from './token-review.ts';

/** By default no token is known. */
export function authenticationResources(lookUpToken: TokenLookup = () => undefined): readonly Resource[] {
  return [selfSubjectReview, tokenReview(lookUpToken)];
}
