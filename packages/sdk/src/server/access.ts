import {
  type Authenticator,
  type Authorizer,
  alwaysDenyAuthorizer,
  anonymousAuthenticator,
  type CertificatePool,
  certificateAuthenticator,
  isStandardCredential,
  parseCertificatePool,
  privilegedGroups,
  unionAuthenticator,
  unionAuthorizer,
  userFromCertificate,
  withAuthenticatedGroup,
} from '@tsukube/apiserver';

/** An authenticator, with the TLS and readiness settings that depend on it. */
export interface ServerAuthentication {
  readonly authenticate: Authenticator;
  /** CAs of client certificates in PEM: TLS asks for and verifies such certificates. */
  clientAuthorities?(): readonly string[];
  /** Calls back when the CAs change. The returned function unsubscribes. */
  onChange?(listener: () => void): () => void;
  /** Whether a header, in lower case, carries credentials, which handlers do not see. */
  isCredential?(header: string): boolean;
  /** A check of /readyz: throws or rejects while requests cannot be authenticated. */
  ready?(): void | Promise<void>;
  close?(): void;
}

/** An authorizer, closed with the server. */
export interface ServerAuthorization {
  readonly authorizer: Authorizer;
  close?(): void;
}

/** Authentication and authorization of the server. Without configuration, only health and version are reachable. */
export interface Access {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly isCredential: (header: string) => boolean;
  clientAuthorities(): readonly string[];
  ready(): Promise<void>;
  close(): void;
}

export interface AccessParts {
  readonly authentication: readonly (Authenticator | ServerAuthentication)[];
  readonly authorization: Authorizer | ServerAuthorization | undefined;
  /** The CA of the server's own client certificates. */
  readonly ownAuthority: () => string | undefined;
  readonly onChange: () => void;
}

/** Reachable without credentials. */
const publicPaths = ['/healthz', '/livez', '/readyz', '/version'];

export function openAccess({ authentication, authorization, ownAuthority, onChange }: AccessParts): Access {
  const given = authentication.map(
    (each) => (typeof each === 'function' ? { authenticate: each } : each) as ServerAuthentication,
  );
  const unsubscribe = given.map((each) => each.onChange?.(onChange));
  const authenticators = [ownCertificates(ownAuthority), ...given.map(({ authenticate }) => authenticate)];
  const own = authorization && 'authorize' in authorization ? { authorizer: authorization } : authorization;
  return {
    authenticator: unionAuthenticator([
      withAuthenticatedGroup(unionAuthenticator(authenticators)),
      anonymousAuthenticator(publicPaths),
    ]),
    authorizer: unionAuthorizer([
      privilegedGroups(['system:masters']),
      publicAccess,
      ...(own ? [own.authorizer] : []),
      alwaysDenyAuthorizer,
    ]),
    isCredential: (header) => isStandardCredential(header) || given.some((each) => each.isCredential?.(header)),
    clientAuthorities() {
      const authority = ownAuthority();
      return [...(authority === undefined ? [] : [authority]), ...given.flatMap((each) => each.clientAuthorities?.() ?? [])];
    },
    async ready() {
      for (const each of given) await each.ready?.();
    },
    close() {
      for (const each of unsubscribe) each?.();
      for (const each of given) each.close?.();
      if (own && 'close' in own) own.close?.();
    },
  };
}

/** Authenticates the admin of the server's own kubeconfig. */
function ownCertificates(authority: () => string | undefined): Authenticator {
  let known: { readonly pem: string; readonly pool: CertificatePool } | undefined;
  const pool = () => {
    const pem = authority();
    if (pem === undefined) return undefined;
    if (known?.pem !== pem) known = { pem, pool: parseCertificatePool([pem]) };
    return known.pool;
  };
  return certificateAuthenticator(pool, userFromCertificate);
}

const everybody = new Set(publicPaths);

const publicAccess: Authorizer = {
  authorize: ({ isResource, path, verb }) =>
    !isResource && verb === 'get' && everybody.has(path)
      ? { decision: 'allow', reason: '' }
      : { decision: 'no opinion', reason: '' },
  rulesFor: () => ({ resourceRules: [], pathRules: [{ verbs: ['get'], nonResourceURLs: publicPaths }], incomplete: false }),
};
