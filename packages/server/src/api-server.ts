import {
  type AdmissionPlugin,
  type CertificatePool,
  type Logger,
  type Resource,
  requestSummary,
  serveExchange,
} from '@tsukube/apiserver';
import type { FindRegistry } from '@tsukube/builtin';
import type { ServerEndpoint } from '@tsukube/controllers';
import type { KeyPair } from '@tsukube/machinery/pki';
import type { Store } from '@tsukube/storage';
import type { Answer, EventLoopBudget, Exchange } from '@tsukube/transport';
import type { PluginConfigurations } from './admission/configuration-file.ts';
import { createApi, openAccessControl, openStorage } from './assembly.ts';
import type { ServiceAccountTokens } from './authentication/service-account-tokens.ts';
import { startBackground } from './background.ts';
import type { FrontProxy } from './certificates.ts';
import type { ServeOptions } from './config/index.ts';
import { isWriter, type ProcessGroup } from './processes/process-group.ts';
import { followInBackground } from './reader-background.ts';
import { createRequestHandling } from './request-handling.ts';
import type { OffloadOptions } from './worker/heavy-requests.ts';

export interface ApiServerParts {
  readonly options: ServeOptions;
  /** Served in addition to the built-in kinds. */
  readonly resources?: readonly Resource[];
  /** Run behind the built-in plugins. */
  readonly admissionPlugins?: readonly AdmissionPlugin[];
  readonly offload?: OffloadOptions;
  readonly store: Store;
  /** CA of the serving certificate, published to every namespace. */
  readonly ca: string;
  /** CA of CertificateSigningRequests. */
  readonly signingAuthority: () => KeyPair;
  readonly serviceAccounts: ServiceAccountTokens;
  readonly pluginConfigurations: PluginConfigurations;
  /** Client certificate for kubelets. */
  readonly kubeletClient: () => KeyPair;
  /** The own front-proxy CA, and the client certificate for aggregated API servers. */
  readonly frontProxy: () => FrontProxy;
  /** CAs of client certificates. */
  readonly clientAuthorities: () => CertificatePool;
  /** CAs of authenticating proxies. */
  readonly proxyAuthorities: () => CertificatePool | undefined;
  readonly logger: Logger;
  /** host:port at which external clients reach the server. */
  readonly address: () => string;
  /** Throws if a certificate has expired. */
  readonly checkCertificates: () => void;
  /** The processes of this server; undefined if it is one process. */
  readonly group?: ProcessGroup | undefined;
}

export interface ApiServer {
  handle(exchange: Exchange): Answer | Promise<Answer>;
  /** Call when the server listens: publishes its endpoint and starts the controllers. */
  publish(endpoint: ServerEndpoint): void;
  /** Counts a failed TLS handshake. */
  onHandshakeError(): void;
  /** Makes readiness fail. */
  beginShutdown(): void;
  /** Removes this server from the endpoints of the Service kubernetes. Never rejects. */
  withdraw(): Promise<void>;
  /** Ends all watches, spread evenly over a time. */
  endWatches(spreadMs: number): Promise<void>;
  /** Rejects new requests; resolves when those in flight are done. */
  drain(): Promise<void>;
  trimMemory(): Promise<void>;
  runningRequest(): string | undefined;
  /** Time that an iteration of the event loop may spend on requests. */
  readonly budget: EventLoopBudget;
  close(): Promise<void>;
}

/** Assembles everything between the transport and the store. */
export async function createApiServer(parts: ApiServerParts): Promise<ApiServer> {
  // Authentication needs registries, which need the authorizer: they are looked up late.
  const findRegistry: FindRegistry = (group, plural) => api.services.registryNamed?.(group, plural);
  const access = await openAccessControl(parts, findRegistry);
  const storage = await openStorage(parts, access);
  const api = createApi(parts, access, storage);
  const handling = await createRequestHandling(parts, access, storage, api);
  const start = isWriter(parts.group) ? startBackground : followInBackground;
  const background = await start(parts, access, storage, api, handling, findRegistry);
  return {
    handle: whenCaughtUp(storage.store, serveExchange(handling.handler)),
    publish: (endpoint) => background.publish(endpoint),
    onHandshakeError: () => storage.metrics.handshakeErrors.increase(),
    beginShutdown: () => handling.setUnready(),
    withdraw: () => background.withdraw(),
    endWatches: (spreadMs) => api.shutdown.begin(spreadMs),
    drain() {
      handling.draining.begin();
      return handling.draining.drained();
    },
    budget: handling.budget,
    runningRequest: () => handling.loop.running && requestSummary(handling.loop.running),
    trimMemory: async () => storage.store.trim?.(),
    async close() {
      background.beginStop();
      await api.heavy?.close();
      access.authentication.stop();
      await background.stop();
      api.custom?.close();
      api.aggregator.close();
      access.authorization.stop();
      storage.stop();
      await handling.close();
      await api.closeCaches();
      await storage.close();
    },
  };
}

/**
 * With several processes, a request is handled when the changes of the others have reached this one: not only reads, also
 * authorization, admission and the set of custom resources are then those that the client has seen elsewhere.
 */
function whenCaughtUp(store: Store, handleNow: ApiServer['handle']): ApiServer['handle'] {
  const { catchUp } = store;
  if (!catchUp) return handleNow;
  return (exchange) => {
    let waiting: Promise<void> | undefined;
    try {
      waiting = catchUp.call(store);
    } catch {
      // The store is unavailable. Requests that need it fail; health checks report it.
    }
    return waiting ? waiting.then(undefined, () => {}).then(() => handleNow(exchange)) : handleNow(exchange);
  };
}
