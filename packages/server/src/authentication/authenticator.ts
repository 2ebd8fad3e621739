import {
  type Authenticator,
  anonymousAuthenticator,
  bearerAuthenticator,
  type CertificatePool,
  cachedTokens,
  certificateAuthenticator,
  firstOf,
  isProxyHeader,
  isStandardProof,
  requestHeaderAuthenticator,
  type TokenAuthenticator,
  webSocketAuthenticator,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';
import type { ServeOptions } from '../config/index.ts';
import { commonNameOf, userFromCertificate } from '../pki/index.ts';
import { type TokenParts, tokenAuthenticator } from './token-authenticator.ts';

export interface AuthenticationParts extends TokenParts {
  /** Vouch for client certificates. */
  readonly clientAuthorities: () => CertificatePool;
  /** Vouch for proxies that say who somebody is; undefined where there are none. */
  readonly proxyAuthorities: () => CertificatePool | undefined;
}

export interface Authentication {
  readonly authenticator: Authenticator;
  /** The same for a token alone, as token reviews ask. */
  readonly reviewToken: TokenAuthenticator;
  readonly isProof: (header: string) => boolean;
  stop(): void;
}

/** How long what cannot be rechecked is believed, as in kube-apiserver. */
const successTtlMs = 10_000;

/** Everyone who can find out who sends a request, in the order in which they are asked. */
export function createAuthentication(parts: AuthenticationParts): Authentication {
  const { options, serviceAccounts } = parts;
  const { apiAudiences } = serviceAccounts;
  const tokens = tokenAuthenticator(parts);
  const cached = cachedTokens(tokens.authenticate, { successTtlMs, failureTtlMs: 0, keepsRefusals: true });
  const headers = proxyHeaders(options);
  const proofs = firstOf([
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
  const isProxys = isProxyHeader(headers);
  return {
    authenticator: options.anonymousAuth ? orElse(known, anonymousAuthenticator()) : known,
    reviewToken: withAuthenticatedGroup(cached),
    isProof: (header) => isStandardProof(header) || isProxys(header),
    stop: tokens.stop,
  };
}

/** Who has shown nothing may still be a guest; who has shown something that is not valid is not. */
function orElse(authenticator: Authenticator, other: Authenticator): Authenticator {
  return (request) => {
    const found = authenticator(request);
    if (found instanceof Promise) return found.then((later) => later ?? other(request));
    return found ?? other(request);
  };
}

function proxyHeaders(options: ServeOptions) {
  return {
    username: options.requestheaderUsernameHeaders,
    uid: options.requestheaderUidHeaders,
    group: options.requestheaderGroupHeaders,
    extraPrefix: options.requestheaderExtraHeadersPrefix,
  };
}
