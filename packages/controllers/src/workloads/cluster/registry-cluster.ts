import {
  asServer,
  type CacheEntry,
  CacheFollower,
  decodeObject,
  deleteObject,
  nameOfKey,
  type ObjectRegistry,
  updateExisting,
  type WriteContext,
} from '@tsukube/apiserver';
import { bindPod } from '@tsukube/builtin';
import type { ApiObject } from '@tsukube/client';
import {
  checkObject,
  type JsonObject,
  type KubeObject,
  type LabelSelector,
  mapIn,
  objectsIn,
  StatusError,
  textIn,
} from '@tsukube/machinery';
import {
  type Cluster,
  type ClusterDeleteOptions,
  type Kinds,
  type Plural,
  type PodMetrics,
  resourceTypes,
  type WithoutTypeMeta,
} from './cluster.ts';
import { getOrCreate, Lister } from './lister.ts';
import { pruned, typed } from './values.ts';

export interface RegistryClusterParts extends Pick<Cluster, 'now' | 'random' | 'logger'> {
  readonly registryNamed: (plural: Plural) => ObjectRegistry;
  /** The registry of PodMetrics: a custom resource of metrics.k8s.io. */
  readonly metricsRegistry: () => ObjectRegistry | undefined;
}

interface Followed {
  readonly store: Lister<ApiObject>;
  readonly follower: CacheFollower;
}

/** The API server of this process, without HTTP. A write is in the stores before it resolves: the watch cache is fed first. */
export class RegistryCluster implements Cluster {
  readonly #parts: RegistryClusterParts;
  readonly #component: string;
  readonly #followed: Map<Plural, Followed>;

  constructor(parts: RegistryClusterParts, component = 'kube-controller-manager', followed = new Map<Plural, Followed>()) {
    this.#parts = parts;
    this.#component = component;
    this.#followed = followed;
  }

  get now() {
    return this.#parts.now;
  }

  get random() {
    return this.#parts.random;
  }

  get logger() {
    return this.#parts.logger;
  }

  objects<P extends Plural>(plural: P): Lister<Kinds[P]> {
    const { store } = getOrCreate(this.#followed, plural, () => followRegistry(this.#parts.registryNamed(plural)));
    return typed<Lister<Kinds[P]>>(store);
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#followed.values()].map(({ follower }) => follower.listed()));
  }

  async create<P extends Plural>(plural: P, object: WithoutTypeMeta<Kinds[P]>): Promise<Kinds[P]> {
    const { apiVersion, kind } = resourceTypes[plural];
    const registry = this.#parts.registryNamed(plural);
    const body = decodedBody(registry, { ...object, apiVersion, kind });
    const { entry } = await registry.create(body, this.#writing(registry, body.metadata.namespace));
    return decoded(entry);
  }

  async update<P extends Plural>(plural: P, object: Kinds[P], subresource: '' | 'status' = ''): Promise<Kinds[P]> {
    const registry = this.#parts.registryNamed(plural);
    const body = decodedBody(registry, object);
    const { name = '', namespace } = body.metadata;
    const writing = this.#writing(registry, namespace, subresource);
    const { entry } = await updateExisting(registry, name, undefined, () => body, writing);
    return decoded(entry);
  }

  async delete(plural: Plural, { metadata }: ApiObject, { uid, ...options }: ClusterDeleteOptions = {}): Promise<void> {
    const registry = this.#parts.registryNamed(plural);
    const request = { ...options, ...(uid !== undefined && { preconditions: { uid } }) };
    await deleteObject(registry, metadata.name ?? '', request, this.#writing(registry, metadata.namespace));
  }

  async bind(pod: Kinds['pods'], node: string): Promise<void> {
    const registry = this.#parts.registryNamed('pods');
    const { name, namespace, uid } = pod.metadata;
    const metadata = pruned({ name, namespace, uid });
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata, target: { kind: 'Node', name: node } };
    await bindPod(registry, binding as KubeObject, this.#writing(registry, namespace));
  }

  async podMetrics(namespace: string, selector: LabelSelector): Promise<PodMetrics[]> {
    const registry = this.#parts.metricsRegistry();
    if (!registry) {
      const problem = 'the server could not find the requested resource (get pods.metrics.k8s.io)';
      throw new Error(`unable to fetch metrics from resource metrics API: ${problem}`);
    }
    const { entries } = await registry.cache.list(registry.prefix(namespace));
    const objects = entries
      .map(({ value }) => decodeObject(value))
      .filter(({ metadata }) => selector.matches(metadata.labels ?? {}));
    return objects.map((object) => ({ name: object.metadata.name ?? '', containers: containersOf(object) }));
  }

  as(component: string): Cluster {
    return new RegistryCluster(this.#parts, component, this.#followed);
  }

  stop(): void {
    for (const { follower } of this.#followed.values()) follower.stop();
  }

  #writing(registry: ObjectRegistry, namespace = '', subresource = ''): WriteContext {
    const user = { name: `system:${this.#component}`, groups: ['system:masters', 'system:authenticated'] };
    return asServer(registry, namespace, subresource, { user, fieldManager: this.#component });
  }
}

/** The object as if it came in a request: in the form of Kubernetes' decoder, with defaults. */
function decodedBody({ resource }: ObjectRegistry, object: object): KubeObject {
  const { type, catalogue } = resource.hub.schema;
  const { value, error } = checkObject(pruned(object) as JsonObject, catalogue.get(type), catalogue);
  if (error !== undefined) throw StatusError.badRequest(error);
  resource.strategy.applyDefaults?.(value as KubeObject);
  return value as KubeObject;
}

function decoded<T>({ value }: CacheEntry): T {
  return typed(decodeObject(value));
}

/** Keeps decoded copies of the objects in a watch cache. */
function followRegistry({ cache, resource }: ObjectRegistry): Followed {
  const store = new Lister<ApiObject>();
  const put = (entry: CacheEntry) => store.put(decoded(entry));
  const follower = new CacheFollower(cache, {
    onList(entries) {
      const listed = new Set(entries.map(({ key }) => key));
      for (const { metadata } of store.list()) {
        const { namespace = '', name = '' } = metadata;
        const isListed = listed.has(`${resource.storagePrefix}/${namespace === '' ? '' : `${namespace}/`}${name}`);
        if (!isListed) store.remove(namespace, name);
      }
      for (const entry of entries) put(entry);
    },
    onEvents(events) {
      for (const { type, entry } of events) {
        const { namespace, name } = nameOfKey(resource, entry.key);
        if (type === 'put') put(entry);
        else store.remove(namespace, name);
      }
    },
  });
  return { store, follower };
}

function containersOf(metrics: KubeObject): PodMetrics['containers'] {
  return objectsIn(metrics, 'containers').map((container) => ({
    name: textIn(container, 'name'),
    usage: mapIn(container, 'usage'),
  }));
}
