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
import type { Store } from '@tsukube/storage';

export interface ControllerContext {
  /** Another list when resources come or go. */
  readonly resources: readonly Resource[];
  /** Undefined if the resource is no longer there. */
  readonly registryOf: (resource: Resource) => ObjectRegistry | undefined;
  readonly store: Store;
  readonly feed: Feed;
  /** Everything in the store that is ours is below it. */
  readonly storePrefix: string;
  /** Whether what belongs to objects that are gone is deleted. */
  readonly collectGarbage: boolean;
  /** As kube-controller-manager's `--controllers`: `*`, `NAME`, `-NAME`. */
  readonly controllers: readonly string[];
  /** Vouches for this server, in PEM form. */
  readonly ca: string;
  /** Signs the tokens that are kept in secrets; without it they stay as they are. */
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
  if (!registry) throw new Error(`there is no resource ${plural}`);
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
