import {
  type Authenticated,
  type Authenticator,
  type Identification,
  isAuthenticated,
  isRefused,
  type TokenAuthenticator,
} from './authenticator.ts';

/** The first authenticator that succeeds decides. If none does, a failure of any of them is the result. */
export function unionAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return (request) => firstVerdict(authenticators.length, (i) => (authenticators[i] as Authenticator)(request));
}

/** Like `unionAuthenticator`; `strict` stops at the first failure. */
export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[], strict = false): TokenAuthenticator {
  return (token, audiences) =>
    firstVerdict(authenticators.length, (i) => (authenticators[i] as TokenAuthenticator)(token, audiences), strict);
}

type Ask = (i: number) => Identification | Promise<Identification>;

function firstVerdict(
  count: number,
  ask: Ask,
  strict = false,
  from = 0,
  reasons: readonly string[] = [],
): Identification | Promise<Identification> {
  let refusals = reasons;
  for (let i = from; i < count; i++) {
    const verdict = ask(i);
    if (verdict instanceof Promise) return verdict.then((later) => resume(later, count, ask, strict, i + 1, refusals));
    if (verdict === undefined) continue;
    if (!isRefused(verdict)) return verdict;
    if (strict) return verdict;
    refusals = [...refusals, ...verdict.refused];
  }
  return refusals.length === 0 ? undefined : { refused: refusals };
}

function resume(
  verdict: Identification,
  count: number,
  ask: Ask,
  strict: boolean,
  from: number,
  refusals: readonly string[],
): Identification | Promise<Identification> {
  if (verdict === undefined) return firstVerdict(count, ask, strict, from, refusals);
  if (!isRefused(verdict) || strict) return verdict;
  return firstVerdict(count, ask, strict, from, [...refusals, ...verdict.refused]);
}

/** Adds `system:authenticated` to authenticated users. */
export function withAuthenticatedGroup<A extends readonly unknown[]>(
  authenticate: (...args: A) => Identification | Promise<Identification>,
): (...args: A) => Identification | Promise<Identification> {
  const grouped = new WeakMap<Authenticated, Authenticated>();
  const add = (found: Identification): Identification => {
    if (!isAuthenticated(found)) return found;
    let known = grouped.get(found);
    if (!known) {
      known = inAuthenticatedGroup(found);
      grouped.set(found, known);
    }
    return known;
  };
  return (...args) => {
    const found = authenticate(...args);
    return found instanceof Promise ? found.then(add) : add(found);
  };
}

function inAuthenticatedGroup(verdict: Authenticated): Authenticated {
  const { user } = verdict;
  const settled = user.groups.includes('system:authenticated') || user.groups.includes('system:unauthenticated');
  if (settled || user.name === 'system:anonymous') return verdict;
  return { ...verdict, user: { ...user, groups: [...user.groups, 'system:authenticated'] } };
}
