export { accessReviewSpec, type CachedReviewsOptions, cachedReviews, reviewVerdict } from './access-review.ts';
export type * from './authorizer.ts';
export { forbiddenError, RequestAccess, selectedBy } from './request-access.ts';
export {
  alwaysAllow,
  alwaysDenyAuthorizer,
  joinedErrors,
  noOpinion,
  noRules,
  privilegedGroups,
  unionAuthorizer,
} from './union.ts';
