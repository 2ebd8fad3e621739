import type { ApiRequest } from '../http/request.ts';
import type { Authenticator, Identification, TokenAuthenticator } from './authenticator.ts';

const invalid = { refused: 'invalid bearer token' };
const spaceWarning = 'the provided Authorization header contains extra space before the bearer token, and is ignored';

/** The token of the Authorization header. */
export function bearerAuthenticator(authenticate: TokenAuthenticator, apiAudiences: readonly string[]): Authenticator {
  const asked = apiAudiences.length === 0 ? undefined : apiAudiences;
  return function byBearerToken(request) {
    const token = bearerToken(request);
    if (token === undefined) return undefined;
    const verdict = authenticate(token, asked);
    return verdict instanceof Promise ? verdict.then(orInvalid) : orInvalid(verdict);
  };
}

export function orInvalid(verdict: Identification): Identification {
  return verdict ?? invalid;
}

function bearerToken(request: ApiRequest): string | undefined {
  const header = request.exchange.header('authorization')?.trim();
  if (header?.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  const end = header.indexOf(' ', 7);
  if (end === 7) request.warn(spaceWarning);
  const token = header.slice(7, end < 0 ? undefined : end);
  return token === '' ? undefined : token;
}
