import {
  type Authenticator,
  anonymousAuthenticator,
  bearerAuthenticator,
  cachedTokenAuthenticator,
  certificateAuthenticator,
  commonNameOf,
  HealthProblem,
  type Identification,
  isProxyHeader,
  isStandardCredential,
  refused,
  requestHeaderAuthenticator,
  unionAuthenticator,
  userFromCertificate,
  webhookTokenAuthenticator,
  webSocketAuthenticator,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';
import { logError } from '../access/api-access.ts';
import { type MainServerOptions, openMainServer, reviewer } from '../access/main-server.ts';
import type { AuthenticationConfig } from './authentication-config.ts';
import { type ConfigFollower, followAuthenticationConfig } from './config-follower.ts';

export interface DelegatedAuthenticationOptions extends MainServerOptions {
  /** Audiences of tokens; at least one must be an audience of the token. By default those of the main API server. */
  readonly audiences?: readonly string[];
  /** How long the result of a TokenReview is valid. 10 seconds by default. */
  readonly cacheTtlMs?: number;
  /** Cached TokenReviews, 32,000 by default. */
  readonly maxCachedTokens?: number;
  /** Whether requests without credentials are those of system:anonymous, which authorization decides about. True by default. */
  readonly anonymous?: boolean;
  /** Monotonic milliseconds, for the cache. */
  readonly now?: () => number;
  /** Problems with the main API server. Written to stderr by default. */
  readonly onError?: (error: unknown) => void;
}

/** Authentication by the main API server: proxies, client certificates and tokens that it accepts are accepted here. */
export interface DelegatedAuthentication {
  readonly authenticate: Authenticator;
  /** Whether a header, in lower case, carries credentials. */
  readonly isCredential: (header: string) => boolean;
  /** The CAs of client certificates and proxies in PEM, for TLS. */
  clientAuthorities(): readonly string[];
  /** Calls back when the CAs change. The returned function unsubscribes. */
  onChange(listener: () => void): () => void;
  /** Throws HealthProblem while the configuration of the main API server is not known or cannot be read. */
  ready(): void;
  close(): void;
}

const defaultTtlMs = 10_000;

/**
 * Reads and follows the ConfigMap extension-apiserver-authentication, and asks for TokenReviews. Certificates are refused until the
 * ConfigMap can be read. Rejects with KubeconfigError only.
 */
export async function delegatedAuthentication(options: DelegatedAuthenticationOptions = {}): Promise<DelegatedAuthentication> {
  const server = await openMainServer(options);
  const config = await followAuthenticationConfig(server.client, options.onError ?? logError);
  const proofs = unionAuthenticator([
    certificates(config),
    ...tokens(reviewer(server.client, '/apis/authentication.k8s.io/v1/tokenreviews'), options),
  ]);
  const known = withAuthenticatedGroup(proofs);
  return {
    authenticate: options.anonymous === false ? known : orAnonymous(known),
    isCredential: (header) => isStandardCredential(header) || isProxyHeaderOf(config.current(), header),
    clientAuthorities: () => config.current()?.authorities ?? [],
    onChange: (listener) => config.onChange(listener),
    ready() {
      const problem = config.problem();
      if (problem !== undefined) throw new HealthProblem(problem);
    },
    close() {
      config.close();
      server.close();
    },
  };
}

function isProxyHeaderOf(config: AuthenticationConfig | undefined, header: string): boolean {
  return config !== undefined && isProxyHeader(config.headers)(header);
}

const unknown = refused('the authentication configuration of the main API server is not known');

/** Proxies first, then client certificates, as in k8s.io/apiserver. */
function certificates(config: ConfigFollower): Authenticator {
  let last: { readonly config: AuthenticationConfig; readonly authenticate: Authenticator } | undefined;
  return function byCertificates(request) {
    const current = config.current();
    if (!current) {
      const { connection } = request.exchange;
      if (connection.clientCertificates().length === 0) return undefined;
      connection.retire();
      return unknown;
    }
    if (last?.config !== current) last = { config: current, authenticate: certificatesOf(current) };
    return last.authenticate(request);
  };
}

function certificatesOf({ proxies, clients, allowedNames, headers }: AuthenticationConfig): Authenticator {
  return unionAuthenticator([
    requestHeaderAuthenticator({ pool: () => proxies, allowedNames, headers, commonNameOf }),
    certificateAuthenticator(() => clients, userFromCertificate),
  ]);
}

function tokens(review: ReturnType<typeof reviewer>, options: DelegatedAuthenticationOptions): readonly Authenticator[] {
  const { audiences = [], cacheTtlMs = defaultTtlMs, maxCachedTokens, now } = options;
  const authenticate = webhookTokenAuthenticator({ version: 'v1', apiAudiences: audiences, review });
  const cached = cachedTokenAuthenticator(authenticate, {
    successTtlMs: cacheTtlMs,
    failureTtlMs: cacheTtlMs,
    keepsRefusals: false,
    ...(now && { now }),
    ...(maxCachedTokens !== undefined && { maxEntries: maxCachedTokens }),
  });
  return [bearerAuthenticator(cached, audiences), webSocketAuthenticator(cached, audiences)];
}

function orAnonymous(authenticator: (...args: Parameters<Authenticator>) => ReturnType<Authenticator>): Authenticator {
  const strangers = anonymousAuthenticator();
  return (request) => {
    const found = authenticator(request);
    const settle = (known: Identification) => known ?? strangers(request);
    return found instanceof Promise ? found.then(settle) : settle(found);
  };
}
