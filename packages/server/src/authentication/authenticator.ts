import {
  type Authenticator,
  anonymousAuthenticator,
  bearerAuthenticator,
  type CertificatePool,
  cachedTokenAuthenticator,
  certificateAuthenticator,
  commonNameOf,
  isProxyHeader,
  isStandardCredential,
  requestHeaderAuthenticator,
  type TokenAuthenticator,
  unionAuthenticator,
  userFromCertificate,
  webSocketAuthenticator,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';
import { type ServeOptions, UsageError } from '../config/index.ts';
import { type TokenParts, type Tokens, tokenAuthenticator } from './token-authenticator.ts';

export interface AuthenticationParts extends TokenParts {
  /** CAs of client certificates. */
  readonly clientAuthorities: () => CertificatePool;
  /** CAs of authenticating proxies; undefined without them. */
  readonly proxyAuthorities: () => CertificatePool | undefined;
}

export interface Authentication {
  readonly authenticator: Authenticator;
  /** Authenticates a token for TokenReviews. */
  readonly reviewToken: TokenAuthenticator;
  readonly isCredential: (header: string) => boolean;
  stop(): void;
}

/** TTL of identities without a recheck, as in kube-apiserver. */
const successTtlMs = 10_000;

/** Creates all configured authenticators, in kube-apiserver's order. */
export async function createAuthentication(parts: AuthenticationParts): Promise<Authentication> {
  const { options, serviceAccounts } = parts;
  const { apiAudiences } = serviceAccounts;
  const tokens = await tokenAuthenticator(parts);
  const cached = cachedTokenAuthenticator(tokens.authenticate, { successTtlMs, failureTtlMs: 0, keepsRefusals: true });
  const headers = proxyHeaders(options);
  const proofs = unionAuthenticator([
    requestHeaderAuthenticator({
      pool: parts.proxyAuthorities,
      allowedNames: options.requestheaderAllowedNames,
      headers,
      commonNameOf,
    }),
    certificateAuthenticator(parts.clientAuthorities, userFromCertificate),
    bearerAuthenticator(cached, apiAudiences),
    webSocketAuthenticator(cached, apiAudiences),
  ]);
  const known = withAuthenticatedGroup(proofs);
  const strangers = anonymousAccess(options, tokens.anonymous);
  const isProxys = isProxyHeader(headers);
  return {
    authenticator: strangers ? orElse(known, strangers) : known,
    reviewToken: withAuthenticatedGroup(cached),
    isCredential: (header) => isStandardCredential(header) || isProxys(header),
    stop: tokens.stop,
  };
}

/** Anonymous access is only for requests without credentials, not for those with invalid ones. */
function orElse(authenticator: Authenticator, other: Authenticator): Authenticator {
  return (request) => {
    const found = authenticator(request);
    if (found instanceof Promise) return found.then((later) => later ?? other(request));
    return found ?? other(request);
  };
}

const anonymousConflict =
  'anonymous: Forbidden: --anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file';

/** Anonymous requests are disabled with AlwaysAllow. */
function anonymousAccess(options: ServeOptions, configured: Tokens['anonymous']): Authenticator | undefined {
  if (configured) {
    if (options.anonymousAuth !== undefined) throw new UsageError(anonymousConflict);
    return configured.enabled ? anonymousAuthenticator(configured.conditions?.map(({ path }) => path)) : undefined;
  }
  return options.anonymousAuth !== false && !options.authorizationMode.includes('AlwaysAllow')
    ? anonymousAuthenticator()
    : undefined;
}

function proxyHeaders(options: ServeOptions) {
  return {
    username: options.requestheaderUsernameHeaders,
    uid: options.requestheaderUidHeaders,
    group: options.requestheaderGroupHeaders,
    extraPrefix: options.requestheaderExtraHeadersPrefix,
  };
}
