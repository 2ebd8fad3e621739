import { goQuote, type JsonObject } from '@tsukube/machinery';
import type { Logger } from '../../logger.ts';
import { type Identification, refused, type TokenAuthenticator } from '../authenticator.ts';
import { audiencesOf, type CompactToken, leewayMs, millisecondsOf, parseCompact } from '../jwt.ts';
import { userFromClaims } from './claim-reader.ts';
import type { JwtConfiguration } from './configuration.ts';
import { type DistributedClaims, distributedClaims } from './distributed-claims.ts';
import type { CompiledExpressions } from './expressions.ts';
import { type KeySet, openProvider, type Provider } from './provider.ts';

export interface JwtAuthenticator {
  readonly authenticate: TokenAuthenticator;
  readonly provider: Pick<Provider, 'initialized' | 'problem'>;
  stop(): void;
}

export interface JwtAuthenticatorOptions {
  readonly configuration: JwtConfiguration;
  readonly expressions: CompiledExpressions;
  readonly signingAlgorithms: readonly string[];
  readonly now: () => number;
  readonly logger: Logger;
}

/** Authenticates ID tokens of an OpenID Connect issuer. Ignores tokens of other issuers. */
export function jwtAuthenticator(options: JwtAuthenticatorOptions): JwtAuthenticator {
  const { configuration, expressions, signingAlgorithms, now } = options;
  const { issuer } = configuration;
  const provider = openProvider(issuer, now, options.logger);
  const elsewhere = groupsElsewhere(options);
  const identify = async (token: CompactToken): Promise<Identification> => {
    const keys = provider.keys();
    if (!keys) return refused('oidc: authenticator not initialized');
    const checked = await problemOf(verifyIdToken(token, keys, { audiences: issuer.audiences, signingAlgorithms, now }));
    if (checked !== undefined) return refused(`oidc: verify token: ${checked}`);
    try {
      const claims = elsewhere ? await elsewhere(token) : token.claims;
      return { user: userFromClaims(claims, configuration, expressions) };
    } catch (error) {
      return refused((error as Error).message);
    }
  };
  return {
    authenticate(token) {
      const parsed = parseCompact(token);
      return parsed && tokenIssuer(parsed.claims) === issuer.url ? identify(parsed) : undefined;
    },
    provider,
    stop() {
      provider.stop();
      elsewhere?.stop();
    },
  };
}

function problemOf(checking: Promise<void>): Promise<string | undefined> {
  return checking.then(
    () => undefined,
    (error: Error) => error.message,
  );
}

/** Groups may be a distributed claim. */
function groupsElsewhere({ configuration, signingAlgorithms, now, logger }: JwtAuthenticatorOptions) {
  const claim = configuration.claimMappings.groups?.claim;
  if (!claim) return undefined;
  const { audiences, certificateAuthority } = configuration.issuer;
  const authority = certificateAuthority ? { certificateAuthority } : {};
  const distributed: DistributedClaims = distributedClaims({ claim, audiences, signingAlgorithms, now, logger, ...authority });
  const expand = (token: CompactToken) =>
    distributed.expand(token.claims).catch((error: Error) => {
      throw new Error(`oidc: could not expand distributed claims: ${error.message}`, { cause: error });
    });
  return Object.assign(expand, { stop: distributed.stop });
}

export interface IdTokenRules {
  readonly audiences: readonly string[];
  readonly signingAlgorithms: readonly string[];
  readonly now: () => number;
}

/** Verifies signature, audience and times. Throws an Error with Kubernetes' message. */
export async function verifyIdToken(token: CompactToken, keys: KeySet, rules: IdTokenRules): Promise<void> {
  checkAlgorithm(token, rules.signingAlgorithms);
  await keys.verify(token);
  checkAudience(token.claims, rules.audiences);
  checkTimes(token.claims, rules.now());
}

/** Google omits the scheme. */
export function tokenIssuer({ iss }: JsonObject): string | undefined {
  if (iss === 'accounts.google.com') return 'https://accounts.google.com';
  return typeof iss === 'string' ? iss : undefined;
}

function checkAlgorithm({ header }: CompactToken, supported: readonly string[]): void {
  if (typeof header.alg === 'string' && supported.includes(header.alg)) return;
  const names = supported.map(goQuote).join(' ');
  throw new Error(
    `oidc: id token signed with unsupported algorithm, expected [${names}] got ${goQuote(String(header.alg ?? ''))}`,
  );
}

function checkAudience({ aud }: JsonObject, audiences: readonly string[]): void {
  const named = audiencesOf(aud);
  if (named === undefined) throw new Error('oidc: failed to unmarshal claims');
  if (named.some((audience) => audiences.includes(audience))) return;
  const quoted = audiences.map(goQuote);
  const wanted = quoted.length === 1 ? quoted[0] : `in [${quoted.join(' ')}]`;
  throw new Error(`oidc: expected audience ${wanted} got [${named.map(goQuote).join(' ')}]`);
}

/** `exp` is required and has no leeway; `nbf` has a minute. */
function checkTimes({ exp, nbf }: JsonObject, now: number): void {
  const expiry = millisecondsOf(exp) ?? 0;
  if (expiry < now) throw new Error(`oidc: token is expired (Token Expiry: ${new Date(expiry).toISOString()})`);
  const notBefore = millisecondsOf(nbf);
  if (notBefore !== undefined && now + leewayMs < notBefore)
    throw new Error('oidc: current time is before the nbf (not before) time');
}
