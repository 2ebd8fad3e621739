import type { AdmissionPlugin, Authenticator, Authorizer, HealthCheck, Logger } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { EtcdTls } from '@tsukube/storage/etcd';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { ServerAuthentication, ServerAuthorization } from './access.ts';
import type { RenewedCertificate, ServingCertificate } from './certificates.ts';
import type { PathHandler } from './path-handler.ts';

/** Where objects are stored: in memory, in a folder on disk (LMDB), in etcd, or in a Store that the caller opens. */
export type StorageChoice =
  | 'memory'
  | { readonly lmdb: string }
  | { readonly etcd: readonly string[]; readonly prefix?: string; readonly tls?: EtcdTls }
  | Store;

export interface ApiServerOptions {
  readonly resources: readonly DefinedResource[];
  /** For paths that are not those of resources; asked first, in this order. */
  readonly handlers?: readonly PathHandler[];
  /** `memory` by default. A Store is closed by the caller. */
  readonly storage?: StorageChoice;
  /** 6443 by default; 0 takes any free one. */
  readonly port?: number;
  /** 127.0.0.1 by default; 0.0.0.0 or :: for all interfaces. */
  readonly host?: string;
  /** The serving certificate. By default one is issued by the server's own CA. A function is called again twice a day. */
  readonly tls?: ServingCertificate | (() => ServingCertificate) | RenewedCertificate;
  /** The folder of the server's CA and certificates. With LMDB by default beside the data; otherwise in memory. */
  readonly certificates?: string;
  /** Further names and addresses of the serving certificate. */
  readonly hosts?: readonly string[];
  /** Whether the server issues a client certificate for the group system:masters. By default if there is no `authentication`. */
  readonly admin?: boolean;
  /** The file that the admin kubeconfig is written to. */
  readonly kubeconfig?: string;
  /** Authenticates clients. Without it, only the certificate of the admin kubeconfig is accepted. */
  readonly authentication?: Authenticator | ServerAuthentication | readonly (Authenticator | ServerAuthentication)[];
  /** Authorizes requests. Without it, everything is refused, except for system:masters. */
  readonly authorization?: Authorizer | ServerAuthorization;
  /** Run for every write. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  /** Further checks of /readyz. */
  readonly readinessChecks?: readonly HealthCheck[];
  /** Further checks of /livez and /healthz: the process should be restarted if one fails. */
  readonly livenessChecks?: readonly HealthCheck[];
  /** Further metrics of /metrics, such as `Metrics` of @tsukube/client. */
  readonly metrics?: { text(): string };
  /** Nothing is logged by default. */
  readonly logger?: Logger;
  /** The name of the server in OpenAPI documents. */
  readonly title?: string;
  /** Concurrent requests beyond these wait, and are refused with 429 if too many wait. 400 and 200 by default. */
  readonly maxReadsInFlight?: number;
  readonly maxWritesInFlight?: number;
  /** The deadline of requests that are not watches, in milliseconds; 60,000 by default. */
  readonly requestTimeoutMs?: number;
  /** Time between the failing readiness and the end of the listener, in milliseconds; 0 by default. */
  readonly shutdownDelayMs?: number;
  /** History of changes for watches that resume, in milliseconds; five minutes by default. */
  readonly compactionIntervalMs?: number;
}
