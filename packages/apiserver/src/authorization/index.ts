export type * from './authorizer.ts';
export { alwaysAllow, alwaysDeny, noRules, privilegedGroups } from './constant.ts';
export { forbiddenError } from './forbidden.ts';
export { RequestAccess, selectedBy } from './request-access.ts';
export { joinedErrors, noOpinion, unionAuthorizer } from './union.ts';
