import type { CertificateSecret } from '../certificates/secret-store.ts';
import type { ServingCertificates } from '../certificates/serving-certificates.ts';
import type { OwnService } from '../register/service-endpoint.ts';

/** The Service that leads to this program. */
export interface WebhookService extends Omit<OwnService, 'host'> {
  /**
   * Creates the Service, without a selector, and an EndpointSlice with the address of this process. Without it, the Service must
   * exist, usually in front of a Deployment.
   */
  readonly create?: boolean;
}

export interface ServeWebhooksOptions {
  /** Name of the program: of its configurations, field manager and certificates. A DNS label. */
  readonly name: string;
  /**
   * Path or text of a kubeconfig. By default the files of `KUBECONFIG`, then the service account of the pod, then
   * `~/.kube/config`.
   */
  readonly kubeconfig?: string;
  /** False only serves: nothing is registered, and no API server is needed. */
  readonly register?: boolean;
  /** Address to listen on. By default 127.0.0.1, or all addresses with a service. */
  readonly host?: string;
  /** By default 8443 with a service, otherwise a free port. */
  readonly port?: number;
  /** Base URL under which the API server reaches this program. By default `https://HOST:PORT`. */
  readonly url?: string;
  /** Registers by Service instead of by URL. */
  readonly service?: WebhookService;
  /**
   * Where the certificates are: a Secret or a folder, which replicas share and where missing ones are created, or given in PEM.
   * By default a Secret `NAME-webhook` beside the service; without a service they are in memory, and new with every start.
   */
  readonly certificates?: { readonly secret: CertificateSecret } | { readonly folder: string } | ServingCertificates;
  /** Deletes the configurations on `close`. Otherwise they stay, and requests fail or pass by their failurePolicy. */
  readonly unregisterOnClose?: boolean;
  /** Errors of handlers and of background work. Written to stderr by default. */
  readonly onError?: (error: unknown) => void;
  /** Longest body of a request, 8 MiB by default. */
  readonly maxBodyBytes?: number;
  /** 500 by default; more are answered with 429. */
  readonly maxRequestsInFlight?: number;
  /** How long `close` waits for requests in flight, 10 seconds by default. */
  readonly shutdownTimeoutMs?: number;
  readonly now?: () => Date;
}

export interface WebhookServer {
  /** `https://HOST:PORT` on this machine. */
  readonly url: string;
  readonly port: number;
  /** The CA of the serving certificate in PEM. */
  readonly ca: string;
  /** Paths of the webhooks, in the order given. */
  readonly paths: readonly string[];
  /** Renews certificates that are due, and brings the configurations up to date. Runs every hour by itself. */
  refresh(): Promise<void>;
  /** Creates or updates the configurations. */
  register(): Promise<void>;
  /** Deletes the configurations. */
  unregister(): Promise<void>;
  /** Finishes requests in flight and frees the port. Calling it again has no effect. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
