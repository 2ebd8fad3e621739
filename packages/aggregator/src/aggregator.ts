import {
  type CacheEntry,
  type Delegate,
  isUpgradeRequest,
  type Logger,
  type ObjectRegistry,
  type ServiceAddresses,
  type ShutdownNotice,
} from '@tsukube/apiserver';
import type { KeyPair } from '@tsukube/machinery/pki';
import { Connections } from './connections.ts';
import { type FetchedDocument, type FetchOptions, fetchDocument } from './fetch-document.ts';
import { probe } from './probe.ts';
import { proxyToBackend, serviceUnavailable } from './proxy.ts';
import { remoteApiOf } from './remote-api.ts';
import { RemoteApis } from './remote-apis.ts';
import { RemoteDocuments } from './remote-documents.ts';
import { proxyUpgradeToBackend } from './upgrade.ts';

export interface AggregatorOptions {
  readonly addressesOf: ServiceAddresses;
  /** The client certificate by which backends recognize this server, in PEM. Read for every connection pool, because it is renewed. */
  readonly identity: () => KeyPair;
  readonly shutdown: ShutdownNotice;
  readonly logger: Logger;
}

/** Forwards the requests for group versions of other API servers. */
export interface Aggregator {
  /** Claims the paths of remote APIs. */
  readonly delegate: Delegate;
  readonly documents: Pick<RemoteDocuments, 'versions' | 'openApi3' | 'specs'>;
  /** Calls back when the documents of remote APIs change. */
  onDocuments(listener: () => void): void;
  /** Resolves when all APIServices are known. */
  start(apiServices: ObjectRegistry): Promise<void>;
  /** Why the backend of an APIService does not answer; undefined if it does, or if the APIService is local. */
  probe(apiService: CacheEntry): Promise<string | undefined>;
  /** Sends a request of this server. Rejects if the path belongs to no remote API, or its backend does not answer. */
  request(path: string, options: FetchOptions): Promise<FetchedDocument>;
  close(): void;
}

export function createAggregator({ addressesOf, identity, shutdown, logger }: AggregatorOptions): Aggregator {
  const apis = new RemoteApis();
  const connections = new Connections(addressesOf, identity);
  apis.onChange((api, isRemoved) => {
    if (isRemoved) connections.forget(api.name);
    else connections.refresh(api.name);
  });
  const listeners: (() => void)[] = [];
  const onChange = () => {
    for (const listener of listeners) listener();
  };
  const documents = new RemoteDocuments(apis, connections, onChange, logger);
  return {
    documents,
    onDocuments: (listener) => void listeners.push(listener),
    delegate(request) {
      const api = apis.at(request.path);
      if (!api) return undefined;
      // The local delegate answers 404 for OpenAPI documents that it does not know.
      if (!api.isAvailable) return request.path.startsWith('/openapi/') ? undefined : serviceUnavailable();
      if (isUpgradeRequest(request)) return proxyUpgradeToBackend(request, api, connections, shutdown);
      return proxyToBackend(request, api, connections);
    },
    start: (apiServices) => apis.follow(apiServices),
    async probe(apiService) {
      const api = remoteApiOf(apiService);
      return api && probe(api, connections);
    },
    async request(path, options) {
      const api = apis.at(path);
      if (!api) throw new Error(`no remote API serves ${path}`);
      return fetchDocument(await connections.routeTo(api), path, options);
    },
    close() {
      apis.stop();
      documents.stop();
      connections.close();
    },
  };
}
