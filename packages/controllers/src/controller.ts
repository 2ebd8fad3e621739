import {
  asServer,
  type Feed,
  type Logger,
  type ObjectRegistry,
  type Resource,
  type ServerIdentity,
  type Signer,
  type WriteContext,
} from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
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
  /** The CA bundle of this server, in PEM. */
  readonly ca: string;
  /** Signs the tokens in Secrets; without it no tokens are added. */
  readonly tokenSigner?: Signer;
  readonly logger: Logger;
  readonly now: () => number;
}

export interface Controller {
  stop(): void;
}

export function registryNamed({ resources, registryOf }: ControllerContext, plural: string): ObjectRegistry {
  const resource = resources.find(({ names }) => names.plural === plural);
  const registry = resource && registryOf(resource);
  if (!registry) throw new Error(`the resource ${plural} is not served`);
  return registry;
}

const controllerManager: ServerIdentity = {
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
