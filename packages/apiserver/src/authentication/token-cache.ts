import { hash, randomBytes } from 'node:crypto';
import { type Authenticated, type Identification, isAuthenticated, type TokenAuthenticator } from './authenticator.ts';

export interface TokenCacheOptions {
  /** How long an answer holds that cannot be rechecked; 0 for not at all. */
  readonly successTtlMs: number;
  readonly failureTtlMs: number;
  /** Whether a refusal with reasons is kept as well as the answer that nobody knows the token. */
  readonly keepsRefusals: boolean;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
  readonly maxEntries?: number;
}

interface Kept {
  readonly found: Identification;
  readonly until: number;
}

/** Twice as many as Kubernetes says it supports nodes and namespaces. */
const defaultMaxEntries = 32_000;
/** What can be rechecked is kept for longer, but not for ever: most tokens are replaced within the hour. */
const recheckedTtlMs = 3_600_000;
const sweepEvery = 1000;

/**
 * Remembers whose a token is, so that a token which was seen before costs no signature and no call. What can be
 * rechecked is, every time: an account that is gone is gone at once. Tokens themselves are not kept, only their hashes
 * with a salt of our own; those who ask at the same time share one question.
 */
export function cachedTokenAuthenticator(authenticate: TokenAuthenticator, options: TokenCacheOptions): TokenAuthenticator {
  const { now = () => performance.now(), maxEntries = defaultMaxEntries } = options;
  const kept = new Map<string, Kept>();
  const asking = new Map<string, Promise<Identification>>();
  const salt = randomBytes(32).toString('base64');

  let insertions = 0;

  const sweep = (): void => {
    const time = now();
    for (const [key, { until }] of kept) if (until < time) kept.delete(key);
  };
  const keep = (key: string, found: Identification): Identification => {
    const lasting = lifetime(found, options);
    kept.delete(key);
    if (lasting <= 0) return found;
    if (++insertions % sweepEvery === 0) sweep();
    if (kept.size >= maxEntries) kept.delete(kept.keys().next().value as string);
    kept.set(key, { found, until: now() + lasting });
    return found;
  };
  const ask = (key: string, question: Identification | Promise<Identification>): Identification | Promise<Identification> => {
    if (!(question instanceof Promise)) return keep(key, question);
    const answered = question.then((found) => keep(key, found)).finally(() => asking.delete(key));
    asking.set(key, answered);
    return answered;
  };
  return (token, audiences) => {
    const key = keyOf(salt, token, audiences);
    const known = kept.get(key);
    if (known && known.until >= now()) {
      const { found } = known;
      if (!isAuthenticated(found) || !found.recheck) return found;
      const again = found.recheck();
      return again === found ? found : ask(key, again);
    }
    return asking.get(key) ?? ask(key, authenticate(token, audiences));
  };
}

function lifetime(found: Identification, { successTtlMs, failureTtlMs, keepsRefusals }: TokenCacheOptions): number {
  if (isAuthenticated(found)) return (found as Authenticated).recheck ? recheckedTtlMs : successTtlMs;
  return found === undefined || keepsRefusals ? failureTtlMs : 0;
}

/** Lengths come first, so that no two questions look the same. */
function keyOf(salt: string, token: string, audiences: readonly string[] | undefined): string {
  let text = `${salt}${token.length}:${token}`;
  for (const audience of audiences ?? []) text += `,${audience.length}:${audience}`;
  return hash('sha256', text, 'base64');
}
