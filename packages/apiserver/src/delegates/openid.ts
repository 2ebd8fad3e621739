import { StatusError, textIn } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { jwkOf, type VerificationKey } from '../authentication/jwt-keys.ts';
import type { Delegate } from '../filters/filter.ts';
import { acceptClauses, acceptsMediaType } from '../http/accept.ts';
import type { ApiRequest } from '../http/api-request.ts';

export const openIdPaths = ['/.well-known/openid-configuration', '/openid/v1/jwks'] as const;
const [configurationPath, keysPath] = openIdPaths;

export interface OpenIdOptions {
  readonly issuer: string;
  /** The public URL of the keys. */
  readonly jwksUri: () => string;
  readonly keys: readonly VerificationKey[];
}

/** Whether the issuer is valid for OpenID Connect. */
export function isOpenIdIssuer(issuer: string): boolean {
  return issuer.startsWith('https://') && URL.canParse(issuer) && !issuer.includes('?') && !issuer.includes('#');
}

/** The OpenID discovery document and keys, by which others verify service account tokens. */
export function openIdPages({ issuer, jwksUri, keys }: OpenIdOptions): Delegate {
  const jwks = keys.map(jwkOf);
  const configuration = () => ({
    issuer,
    jwks_uri: jwksUri(),
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(jwks.map((jwk) => textIn(jwk, 'alg')))].sort(),
  });
  return function openId(request) {
    const path = request.path.replace(/\/$/, '');
    if (path === configurationPath) return answer(request, 'application/json', configuration());
    if (path === keysPath) return answer(request, 'application/jwk-set+json', { keys: jwks });
    if (request.path.startsWith(`${keysPath}/`) || request.path.startsWith(`${configurationPath}/`))
      throw StatusError.pathNotFound();
    return undefined;
  };
}

function answer(request: ApiRequest, type: string, document: object): Answer {
  if (request.method !== 'GET') throw StatusError.methodNotAllowed();
  const accept = request.exchange.header('accept');
  if (accept && !acceptClauses(accept).some((clause) => acceptsMediaType(clause, type))) throw StatusError.notAcceptable([type]);
  return {
    kind: 'bytes',
    status: 200,
    type,
    body: JSON.stringify(document),
    headers: { 'cache-control': 'public, max-age=3600' },
  };
}
