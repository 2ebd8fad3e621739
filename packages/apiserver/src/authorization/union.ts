import { aggregateMessage } from '@tsukube/machinery';
import type { User } from '../http/api-request.ts';
import type { AccessAttributes, AccessRules, Authorizer, Verdict } from './authorizer.ts';

/** The first authorizer with an opinion decides. */
export function unionAuthorizer(authorizers: readonly Authorizer[]): Authorizer {
  const [only] = authorizers;
  if (only && authorizers.length === 1) return only;
  return {
    authorize: (access) => askFrom(authorizers, 0, access, []),
    rulesFor: async (user, namespace) => joined(await everyRule(authorizers, user, namespace)),
  };
}

function askFrom(
  authorizers: readonly Authorizer[],
  from: number,
  access: AccessAttributes,
  before: readonly Verdict[],
): Verdict | Promise<Verdict> {
  let undecided = before;
  for (let i = from; i < authorizers.length; i++) {
    const verdict = (authorizers[i] as Authorizer).authorize(access);
    if (verdict instanceof Promise) {
      return verdict.then((late) => (isFinal(late) ? late : askFrom(authorizers, i + 1, access, noted(undecided, late))));
    }
    if (isFinal(verdict)) return verdict;
    undecided = noted(undecided, verdict);
  }
  return undecidedVerdict(undecided);
}

function isFinal({ decision }: Verdict): boolean {
  return decision !== 'no opinion';
}

/** Keeps verdicts that have a reason or an error. */
function noted(verdicts: readonly Verdict[], verdict: Verdict): readonly Verdict[] {
  return verdict.reason === '' && verdict.error === undefined ? verdicts : [...verdicts, verdict];
}

export const noOpinion: Verdict = { decision: 'no opinion', reason: '' };

function undecidedVerdict(verdicts: readonly Verdict[]): Verdict {
  const [first] = verdicts;
  if (!first) return noOpinion;
  if (verdicts.length === 1) return first;
  const reasons = verdicts.map(({ reason }) => reason).filter((reason) => reason !== '');
  return { decision: 'no opinion', reason: reasons.join('\n'), error: joinedErrors(verdicts) };
}

export function joinedErrors(failures: readonly { readonly error?: string }[]): string | undefined {
  const errors = failures.flatMap(({ error }) => error ?? []);
  return errors.length === 0 ? undefined : aggregateMessage(errors);
}

function everyRule(authorizers: readonly Authorizer[], user: User, namespace: string): Promise<AccessRules[]> {
  return Promise.all(authorizers.map((authorizer) => authorizer.rulesFor(user, namespace)));
}

function joined(all: readonly AccessRules[]): AccessRules {
  const error = joinedErrors(all);
  return {
    resourceRules: all.flatMap(({ resourceRules }) => resourceRules),
    pathRules: all.flatMap(({ pathRules }) => pathRules),
    incomplete: all.some(({ incomplete }) => incomplete),
    ...(error !== undefined && { error }),
  };
}

const everything: AccessRules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  pathRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};
export const noRules: AccessRules = { resourceRules: [], pathRules: [], incomplete: false };
const allowed: Verdict = { decision: 'allow', reason: '' };
const denied: Verdict = { decision: 'no opinion', reason: 'Everything is forbidden.' };

export const alwaysAllow: Authorizer = { authorize: () => allowed, rulesFor: () => everything };

export const alwaysDenyAuthorizer: Authorizer = { authorize: () => denied, rulesFor: () => noRules };

/** Members of these groups are allowed everything. */
export function privilegedGroups(groups: readonly string[]): Authorizer {
  return {
    authorize: ({ user }) => (groups.some((group) => user.groups.includes(group)) ? allowed : noOpinion),
    rulesFor: () => noRules,
  };
}
