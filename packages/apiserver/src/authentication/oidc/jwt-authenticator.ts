import type { Logger } from '../../logger.ts';
import { type Identification, refused, type TokenAuthenticator } from '../authenticator.ts';
import { type CompactToken, parseCompact } from '../jwt/compact.ts';
import { userFromClaims } from './claim-reader.ts';
import type { JwtConfiguration } from './configuration.ts';
import { type DistributedClaims, distributedClaims } from './distributed-claims.ts';
import type { CompiledExpressions } from './expressions.ts';
import { issuerOf, verifyIdToken } from './id-token.ts';
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
      return parsed && issuerOf(parsed.claims) === issuer.url ? identify(parsed) : undefined;
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

/** Groups may be too many for a token; issuers then say where they are to be had. */
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
