import { goQuote, type JsonObject } from '@tsukube/machinery';
import type { Logger } from '../../logger.ts';
import { type Identification, refused, type TokenAuthenticator } from '../authenticator.ts';
import { type CompactToken, parseCompact } from '../jwt/compact.ts';
import { audiencesOf, leewayMs, millisecondsOf } from '../jwt/times.ts';
import { userFromClaims } from './claim-reader.ts';
import type { JwtConfiguration } from './configuration.ts';
import type { CompiledExpressions } from './expressions.ts';
import { openProvider, type Provider } from './provider.ts';

export interface JwtAuthenticator {
  readonly authenticate: TokenAuthenticator;
  readonly provider: Pick<Provider, 'asked' | 'problem'>;
  stop(): void;
}

export interface JwtAuthenticatorOptions {
  readonly configuration: JwtConfiguration;
  readonly expressions: CompiledExpressions;
  readonly signingAlgorithms: readonly string[];
  readonly now: () => number;
  readonly logger: Logger;
}

/** Tokens of an issuer of OpenID Connect. Others' tokens are none of its business. */
export function jwtAuthenticator(options: JwtAuthenticatorOptions): JwtAuthenticator {
  const { configuration, expressions, now } = options;
  const { issuer } = configuration;
  const provider = openProvider(issuer, now, options.logger);
  const identify = async (token: CompactToken): Promise<Identification> => {
    const keys = provider.keys();
    if (!keys) return refused('oidc: authenticator not initialized');
    try {
      checkAlgorithm(token, options.signingAlgorithms);
      await keys.verify(token);
      checkClaims(token.claims, issuer.audiences, now());
    } catch (error) {
      return refused(`oidc: verify token: ${(error as Error).message}`);
    }
    try {
      return { user: userFromClaims(token.claims, configuration, expressions) };
    } catch (error) {
      return refused((error as Error).message);
    }
  };
  return {
    authenticate(token) {
      const parsed = parseCompact(token);
      return parsed && issuerOf(parsed.claims) === issuer.url ? identify(parsed) : undefined;
    },
    provider,
    stop: provider.stop,
  };
}

/** Google says it without the scheme, against the rules. */
function issuerOf({ iss }: JsonObject): unknown {
  return iss === 'accounts.google.com' ? 'https://accounts.google.com' : iss;
}

function checkAlgorithm({ header }: CompactToken, supported: readonly string[]): void {
  if (typeof header.alg === 'string' && supported.includes(header.alg)) return;
  const names = supported.map(goQuote).join(' ');
  throw new Error(
    `oidc: id token signed with unsupported algorithm, expected [${names}] got ${goQuote(String(header.alg ?? ''))}`,
  );
}

/** A token must end; there is no leeway for that, but a minute for one that has not begun. */
function checkClaims(claims: JsonObject, audiences: readonly string[], now: number): void {
  const named = audiencesOf(claims.aud);
  if (named === undefined) throw new Error('oidc: failed to unmarshal claims');
  if (!named.some((audience) => audiences.includes(audience))) {
    const wanted = audiences.length === 1 ? goQuote(audiences[0] as string) : `in [${audiences.map(goQuote).join(' ')}]`;
    throw new Error(`oidc: expected audience ${wanted} got [${named.map(goQuote).join(' ')}]`);
  }
  const expiry = millisecondsOf(claims.exp) ?? 0;
  if (expiry < now) throw new Error(`oidc: token is expired (Token Expiry: ${new Date(expiry).toISOString()})`);
  const notBefore = millisecondsOf(claims.nbf);
  if (notBefore !== undefined && now + leewayMs < notBefore)
    throw new Error('oidc: current time is before the nbf (not before) time');
}
