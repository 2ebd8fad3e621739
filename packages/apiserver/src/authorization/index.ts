export type * from './authorizer.ts';
export { forbiddenError, RequestAccess, selectedBy } from './request-access.ts';
export { alwaysAllow, alwaysDeny, joinedErrors, noOpinion, noRules, privilegedGroups, unionAuthorizer } from './union.ts';
