import { StatusError } from '@tsukube/machinery';
import { anonymous } from '../http/api-request.ts';
import type { ApiRequest, User } from '../http/request.ts';
import type { Filter } from './filter.ts';

/**
 * Finds out who sends a request. Undefined: the request carries nothing of the kind this one looks at. Null: it does,
 * but it is not valid.
 */
export type Authenticator = (request: ApiRequest) => User | null | undefined | Promise<User | null | undefined>;

const authenticated = 'system:authenticated';

/** The first authenticator that knows the user wins; credentials that nobody accepts are refused; none at all is anonymous. */
export function authentication(authenticators: readonly Authenticator[]): Filter {
  return function authenticate(request, next) {
    const found = identify(request, authenticators, 0, false);
    if (!(found instanceof Promise)) {
      request.user = found;
      return next(request);
    }
    return found.then((user) => {
      request.user = user;
      return next(request);
    });
  };
}

function identify(
  request: ApiRequest,
  authenticators: readonly Authenticator[],
  from: number,
  refused: boolean,
): User | Promise<User> {
  let invalid = refused;
  for (let i = from; i < authenticators.length; i++) {
    const found = authenticators[i]?.(request);
    if (found instanceof Promise) {
      return found.then((user) => user ?? identify(request, authenticators, i + 1, invalid || user === null));
    }
    if (found) return found;
    if (found === null) invalid = true;
  }
  if (invalid) throw StatusError.unauthorized();
  return anonymous;
}

export function withAuthenticatedGroup(user: User): User {
  return user.groups.includes(authenticated) ? user : { ...user, groups: [...user.groups, authenticated] };
}

/** The user of a client certificate: the same for all requests of a connection. */
export function certificateAuthenticator(
  userOf: (certificate: Buffer) => { name: string; groups: readonly string[] } | undefined,
): Authenticator {
  return function byCertificate(request) {
    const { connection } = request.exchange;
    if (connection.user === undefined) {
      const certificate = connection.clientCertificate();
      const user = certificate && userOf(certificate);
      connection.user = user ? withAuthenticatedGroup(user) : null;
    }
    return connection.user ?? undefined;
  };
}

/** Bearer tokens that are known beforehand. */
export function tokenAuthenticator(users: ReadonlyMap<string, User>): Authenticator {
  return function byToken(request) {
    const header = request.exchange.header('authorization');
    if (header?.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
    const token = header.slice(7).trim();
    if (token === '') return undefined;
    return users.get(token) ?? null;
  };
}
