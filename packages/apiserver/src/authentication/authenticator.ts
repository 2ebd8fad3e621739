import { type ApiRequest, anonymousUser, type User } from '../http/api-request.ts';

/** A successful authentication. */
export interface Authenticated {
  readonly user: User;
  /** Audiences of the credential, if it has any. */
  readonly audiences?: readonly string[];
  /** Sent as Warning headers with every response. */
  readonly warnings?: readonly string[];
  /** Audit annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Checks that the identity is still valid without verifying the credential again; returns the same object if nothing has
   * changed. Without it, the identity is valid for the TTL of the cache.
   */
  readonly recheck?: () => Identification | Promise<Identification>;
}

/** An invalid credential. The reasons go to the log and to TokenReviews, never to the client. */
export interface FailedAuthentication {
  readonly refused: readonly string[];
}

/** Undefined if the request has no credential of the kind. */
export type Identification = Authenticated | FailedAuthentication | undefined;

/** Authenticates a request. Synchronous where possible. */
export type Authenticator = (request: ApiRequest) => Identification | Promise<Identification>;

/**
 * Authenticates a token for audiences: at least one must be an audience of the token; the matching ones are returned with the
 * user. Undefined audiences are not checked.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[] | undefined,
) => Identification | Promise<Identification>;

export function refused(reason: string): FailedAuthentication {
  return { refused: [reason] };
}

export function isAuthenticated(verdict: Identification): verdict is Authenticated {
  return verdict !== undefined && !isRefused(verdict);
}

export function isRefused(verdict: Identification): verdict is FailedAuthentication {
  return verdict !== undefined && 'refused' in verdict;
}

const anonymously: Authenticated = { user: anonymousUser };

/** Authenticates requests without credentials as system:anonymous, on all paths or only on `paths`. */
export function anonymousAuthenticator(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return () => anonymously;
  const allowed = new Set(paths);
  return (request) => (allowed.has(request.path) ? anonymously : undefined);
}
