import { type ApiRequest, anonymous, type User } from '../http/api-request.ts';

/** Somebody who has proved who they are. */
export interface Authenticated {
  readonly user: User;
  /** Whom the proof was meant for, if it says so. */
  readonly audiences?: readonly string[];
  /** Sent to the client with every answer. */
  readonly warnings?: readonly string[];
  /** What the audit log is to say about it. */
  readonly annotations?: Readonly<Record<string, string>>;
  /**
   * Says whether it still holds, without another look at the proof: the same object again if nothing has changed. What
   * has none holds for as long as a cache keeps it.
   */
  readonly recheck?: () => Identification | Promise<Identification>;
}

/** A proof that is not valid, and why. The reasons are for the log and for token reviews, never for the one who asks. */
export interface FailedAuthentication {
  readonly refused: readonly string[];
}

/** Undefined: there is no proof of the kind that is looked for. */
export type Identification = Authenticated | FailedAuthentication | undefined;

/** Finds out who sends a request. Answers at once where it can. */
export type Authenticator = (request: ApiRequest) => Identification | Promise<Identification>;

/**
 * Finds out whose token it is, for whom it is asked: at least one of the audiences must be one that the token is meant
 * for, and those that are come back with the user. Undefined audiences ask for nothing.
 */
export type TokenAuthenticator = (
  token: string,
  audiences: readonly string[] | undefined,
) => Identification | Promise<Identification>;

export function refused(reason: string): FailedAuthentication {
  return { refused: [reason] };
}

/** Several reasons as Go's aggregated errors put them. */
export function reasonText(reasons: readonly string[]): string {
  const different = [...new Set(reasons)];
  return different.length === 1 ? (different[0] as string) : `[${different.join(', ')}]`;
}

export function isAuthenticated(verdict: Identification): verdict is Authenticated {
  return verdict !== undefined && !isRefused(verdict);
}

export function isRefused(verdict: Identification): verdict is FailedAuthentication {
  return verdict !== undefined && 'refused' in verdict;
}

const anonymously: Authenticated = { user: anonymous };

/** Lets in who proves nothing: everywhere, or with `paths` to those only. What they may do is for authorization to say. */
export function anonymousAuthenticator(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return () => anonymously;
  const allowed = new Set(paths);
  return (request) => (allowed.has(request.path) ? anonymously : undefined);
}
