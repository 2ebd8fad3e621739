import type { ClientConnection } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';
import {
  type Authenticated,
  type Authenticator,
  type Identification,
  isAuthenticated,
  refused,
  type TokenAuthenticator,
} from './authenticator.ts';

const invalid = refused('invalid bearer token');
const spaceWarning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

interface LastSeen {
  readonly header: string;
  readonly found: Authenticated;
}

/** Authenticates the Authorization header. The identity is cached per connection: an unchanged header costs only its recheck. */
export function bearerAuthenticator(authenticate: TokenAuthenticator, apiAudiences: readonly string[]): Authenticator {
  const asked = apiAudiences.length === 0 ? undefined : apiAudiences;
  const lastSeen = new WeakMap<ClientConnection, LastSeen>();
  return function byBearerToken(request) {
    const { exchange } = request;
    const header = exchange.header('authorization');
    if (header === undefined) return undefined;
    const last = lastSeen.get(exchange.connection);
    if (last?.header === header && last.found.recheck?.() === last.found) return last.found;
    const token = bearerToken(header.trim(), request);
    if (token === undefined) return undefined;
    const settle = (found: Identification): Identification => {
      if (isAuthenticated(found) && found.recheck) lastSeen.set(exchange.connection, { header, found });
      return found ?? invalid;
    };
    const found = authenticate(token, asked);
    return found instanceof Promise ? found.then(settle) : settle(found);
  };
}

function bearerToken(header: string, request: ApiRequest): string | undefined {
  if (header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const end = header.indexOf(' ', 7);
  if (end === 7) request.warn(spaceWarning);
  const token = header.slice(7, end < 0 ? undefined : end);
  return token === '' ? undefined : token;
}

/** The intersection. */
export function commonAudiences(some: readonly string[], others: readonly string[]): readonly string[] {
  return some.filter((audience) => others.includes(audience));
}

/** Whether a credential is valid for this server. Credentials without audiences always are. */
export function hasApiAudience(apiAudiences: readonly string[], audiences: readonly string[] = []): boolean {
  return apiAudiences.length === 0 || audiences.length === 0 || commonAudiences(apiAudiences, audiences).length > 0;
}

/** Wraps an authenticator whose tokens have no audiences: they are valid for the API audiences. */
export function withApiAudiences(apiAudiences: readonly string[], authenticate: TokenAuthenticator): TokenAuthenticator {
  return (token, asked) => {
    if (asked === undefined) return authenticate(token, asked);
    const audiences = asked === apiAudiences ? apiAudiences : commonAudiences(apiAudiences, asked);
    if (audiences.length === 0) return undefined;
    const mark = (verdict: Identification): Identification => (isAuthenticated(verdict) ? { ...verdict, audiences } : verdict);
    const verdict = authenticate(token, asked);
    return verdict instanceof Promise ? verdict.then(mark) : mark(verdict);
  };
}
