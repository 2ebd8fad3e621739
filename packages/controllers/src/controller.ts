import {
  type Authorizer,
  asServer,
  type CacheEntry,
  type Feed,
  type Logger,
  type ObjectRegistry,
  type Resource,
  type ServerIdentity,
  type Signer,
  type User,
  type WriteContext,
} from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import type { KeyPair } from '@tsukube/machinery/pki';
import type { Store } from '@tsukube/storage';

export interface ControllerContext {
  /** A new array whenever resources are added or removed. */
  readonly resources: readonly Resource[];
  /** Undefined if the resource is no longer served. */
  readonly registryOf: (resource: Resource) => ObjectRegistry | undefined;
  readonly store: Store;
  readonly feed: Feed;
  /** The prefix of all keys, such as /registry. */
  readonly storePrefix: string;
  /** Whether the garbage collector runs. */
  readonly collectGarbage: boolean;
  /** As kube-controller-manager's `--controllers`: `*`, `NAME`, `-NAME`. */
  readonly controllers: readonly string[];
  /** How many nodes are simulated. */
  readonly simulatedNodes?: number;
  /** The CA bundle of this server, in PEM. */
  readonly ca: string;
  /** Signs the tokens in Secrets; without it no tokens are added. */
  readonly tokenSigner?: Signer;
  /** Decides about certificate requests of kubelets. */
  readonly authorizer: Authorizer;
  readonly certificateSigning: CertificateSigning;
  /** Sends a request to the backend of an aggregated API. */
  readonly requestRemote?: RequestRemote;
  /** Why the backend of an APIService does not answer; undefined if it does. Without it, no backend is asked. */
  readonly probeApiService?: (apiService: CacheEntry) => Promise<string | undefined>;
  readonly logger: Logger;
  readonly now: () => number;
}

export type RequestRemote = (path: string, request: RemoteRequest) => Promise<{ readonly status: number; readonly body: Buffer }>;

export interface RemoteRequest {
  readonly method: 'GET' | 'DELETE';
  /** JSON. */
  readonly body?: string;
  readonly user: User;
  readonly accept: string;
  readonly timeoutMs: number;
}

/** The CA of CertificateSigningRequests. */
export interface CertificateSigning {
  /** Certificate and private key in PEM, read for each certificate so that they can be replaced. */
  authority(): KeyPair;
  /** The longest lifetime of certificates. */
  readonly maxDurationMs: number;
}

export interface RunningController {
  /** A promise resolves when the last write is done. */
  stop(): void | Promise<void>;
}

export function registryNamed({ resources, registryOf }: ControllerContext, plural: string): ObjectRegistry {
  const resource = resources.find(({ names }) => names.plural === plural);
  const registry = resource && registryOf(resource);
  if (!registry) throw new Error(`the resource ${plural} is not served`);
  return registry;
}

/** Whether other servers may share the store. An embedded store belongs to this process. */
export function isShared({ store }: Pick<ControllerContext, 'store'>): boolean {
  return store.tap === undefined;
}

export const controllerManager: ServerIdentity = {
  user: { name: 'system:kube-controller-manager', groups: ['system:masters', 'system:authenticated'] },
  fieldManager: 'kube-controller-manager',
};

/** The context of a controller's write, in the hub version. */
export function writeAs(registry: ObjectRegistry, namespace: string, subresource = ''): WriteContext {
  return asServer(registry, namespace, subresource, controllerManager);
}

/** Awaits a write and ignores that its object does not exist. */
export async function ignoreNotFound(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
