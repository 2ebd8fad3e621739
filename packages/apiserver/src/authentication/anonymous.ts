import { anonymous } from '../http/api-request.ts';
import type { Authenticated, Authenticator } from './authenticator.ts';

const anonymously: Authenticated = { user: anonymous };

/** Lets in who proves nothing: everywhere, or with `paths` to those only. What they may do is for authorization to say. */
export function anonymousAuthenticator(paths: readonly string[] = []): Authenticator {
  if (paths.length === 0) return () => anonymously;
  const allowed = new Set(paths);
  return (request) => (allowed.has(request.path) ? anonymously : undefined);
}
