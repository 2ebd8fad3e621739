/** Where an API server is and how to authenticate. Certificates are PEM. */
export interface ClusterConfig {
  /** `https://host:port`, maybe with a path. */
  readonly server: string;
  readonly ca?: string | undefined;
  /** Name in the certificate of the server, if it differs from the host of `server`. */
  readonly serverName?: string | undefined;
  /** Does not verify the certificate of the server. */
  readonly insecure?: boolean;
  /** Namespace of the context or the service account. */
  readonly namespace?: string | undefined;
  readonly credentials?: Credentials;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Credentials that may change while the client runs. */
export interface Credentials {
  /** The value of the Authorization header, called for every request. */
  authorization(): string | undefined | Promise<string | undefined>;
  /** Called for every connection. */
  certificate(): ClientCertificate | undefined | Promise<ClientCertificate | undefined>;
  /** The server answered 401. Returns true if new credentials are worth another attempt. */
  refresh(): boolean;
}

/** A kubeconfig or a service account could not be used. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

export const anonymousCredentials: Credentials = {
  authorization: () => undefined,
  certificate: () => undefined,
  refresh: () => false,
};
