import type { AccessRules, Authorizer, Verdict } from './authorizer.ts';
import { noOpinion } from './union.ts';

const everything: AccessRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  pathRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
export const noRules: AccessRules = { resourceRules: [], pathRules: [], incomplete: false };
const allowed: Verdict = { decision: 'allow', reason: '' };
const denied: Verdict = { decision: 'no opinion', reason: 'Everything is forbidden.' };

export const alwaysAllow: Authorizer = { authorize: () => allowed, rulesFor: () => everything };

export const alwaysDeny: Authorizer = { authorize: () => denied, rulesFor: () => noRules };

/** Members of these groups may do everything, whatever is written elsewhere. */
export function privilegedGroups(groups: readonly string[]): Authorizer {
  return {
    authorize: ({ user }) => (groups.some((group) => user.groups.includes(group)) ? allowed : noOpinion),
    rulesFor: () => noRules,
  };
}
