import { hash, randomBytes } from 'node:crypto';
import { BoundedCache } from '@tsukube/machinery';
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

interface CachedResult {
  readonly found: Identification;
  readonly until: number;
}

/** Twice the nodes and namespaces that Kubernetes supports. */
const defaultMaxEntries = 32_000;
/** TTL of results with a recheck. Most tokens are rotated within an hour. */
const recheckedTtlMs = 3_600_000;

/**
 * Caches token authentication: a known token costs neither a signature check nor a webhook call. Results are rechecked on every
 * use, so a deleted account is rejected at once. Keys are salted hashes of the tokens. Concurrent lookups of a token share one
 * call.
 */
export function cachedTokenAuthenticator(authenticate: TokenAuthenticator, options: TokenCacheOptions): TokenAuthenticator {
  const { now = () => performance.now(), maxEntries = defaultMaxEntries } = options;
  const results = new BoundedCache<string, CachedResult>({ entries: maxEntries });
  const pending = new Map<string, Promise<Identification>>();
  const salt = randomBytes(32).toString('base64');

  const store = (key: string, found: Identification): Identification => {
    const ttlMs = ttlOf(found, options);
    if (ttlMs > 0) results.set(key, { found, until: now() + ttlMs });
    else results.delete(key);
    return found;
  };
  const settle = (key: string, result: Identification | Promise<Identification>): Identification | Promise<Identification> => {
    if (!(result instanceof Promise)) return store(key, result);
    const settled = result.then((found) => store(key, found)).finally(() => pending.delete(key));
    pending.set(key, settled);
    return settled;
  };
  return (token, audiences) => {
    const key = keyOf(salt, token, audiences);
    const known = results.get(key);
    if (known && known.until >= now()) {
      const { found } = known;
      if (!isAuthenticated(found) || !found.recheck) return found;
      const again = found.recheck();
      return again === found ? found : settle(key, again);
    }
    return pending.get(key) ?? settle(key, authenticate(token, audiences));
  };
}

function ttlOf(found: Identification, { successTtlMs, failureTtlMs, keepsRefusals }: TokenCacheOptions): number {
  if (isAuthenticated(found)) return (found as Authenticated).recheck ? recheckedTtlMs : successTtlMs;
  return found === undefined || keepsRefusals ? failureTtlMs : 0;
}

/** Lengths are prefixed, so that different inputs have different keys. */
function keyOf(salt: string, token: string, audiences: readonly string[] | undefined): string {
  let text = `${salt}${token.length}:${token}`;
  for (const audience of audiences ?? []) text += `,${audience.length}:${audience}`;
  return hash('sha256', text, 'base64');
}
