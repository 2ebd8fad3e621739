import { type Identification, isAuthenticated, type TokenAuthenticator } from './authenticator.ts';

/** Those of `some` that are among `others`. */
export function commonAudiences(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((audience) => others.includes(audience));
}

/** Whether a proof is good for this server. One that names no audience is for whoever can check it. */
export function isForUs(apiAudiences: readonly string[], audiences: readonly string[] = []): boolean {
  return apiAudiences.length === 0 || audiences.length === 0 || commonAudiences(apiAudiences, audiences).length > 0;
}

/** Tokens that say nothing about whom they are for are for this server. */
export function forApiAudiences(apiAudiences: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return (token, asked) => {
    if (asked === undefined) return authenticate(token, asked);
    const audiences = asked === apiAudiences ? apiAudiences : commonAudiences(apiAudiences, asked);
    if (audiences.length === 0) return undefined;
    const mark = (verdict: Identification): Identification => (isAuthenticated(verdict) ? { ...verdict, audiences } : verdict);
    const verdict = authenticate(token, asked);
    return verdict instanceof Promise ? verdict.then(mark) : mark(verdict);
  };
}
