import { hash, randomBytes } from 'node:crypto';
import { type Authenticated, type Identification, isAuthenticated, type TokenAuthenticator } from './authenticator.ts';

export interface TokenCacheOptions {
  /** TTL of results without a recheck; 0 disables caching. */
  readonly successTtlMs: number;
  readonly failureTtlMs: number;
  /** Whether failures with reasons are cached, in addition to unknown tokens. */
  readonly keepsRefusals: boolean;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  readonly maxEntries?: number;
}

interface Kept {
  readonly found: Identification;
  readonly until: number;
}

/** Twice the nodes and namespaces that Kubernetes supports. */
const defaultMaxEntries = 32_000;
/** TTL of results with a recheck. Most tokens are rotated within an hour. */
const recheckedTtlMs = 3_600_000;
const sweepEvery = 1000;

/**
 * Caches token authentication: a known token costs neither a signature check nor a webhook call. Results are rechecked on every
 * use, so a deleted account is rejected at once. Keys are salted hashes of the tokens. Concurrent lookups of a token share one
 * call.
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

/** Lengths are prefixed, so that different inputs have different keys. */
function keyOf(salt: string, token: string, audiences: readonly string[] | undefined): string {
  let text = `${salt}${token.length}:${token}`;
  for (const audience of audiences ?? []) text += `,${audience.length}:${audience}`;
  return hash('sha256', text, 'base64');
}
