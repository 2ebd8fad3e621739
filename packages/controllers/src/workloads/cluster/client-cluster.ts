import type { ApiObject } from '@tsukube/client';
import { ApiError, Informer, type KubeClient, type ResourceApi } from '@tsukube/client';
import { BoundedCache, type LabelSelector, StatusError } from '@tsukube/machinery';
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
import { sentBody, typed } from './values.ts';

export type ClientClusterOptions = Pick<Cluster, 'now' | 'random' | 'logger'>;

/** State that the components of one cluster share. */
interface Shared {
  readonly informers: Map<Plural, InformedLister>;
  readonly stop: AbortController;
}

/** Any API server, over HTTP. */
export class ClientCluster implements Cluster {
  readonly #client: KubeClient;
  readonly #options: ClientClusterOptions;
  readonly #component: string;
  readonly #shared: Shared;

  constructor(client: KubeClient, options: ClientClusterOptions, component = 'kube-controller-manager', shared?: Shared) {
    this.#client = client;
    this.#options = options;
    this.#component = component;
    this.#shared = shared ?? { informers: new Map(), stop: new AbortController() };
  }

  get now() {
    return this.#options.now;
  }

  get random() {
    return this.#options.random;
  }

  get logger() {
    return this.#options.logger;
  }

  objects<P extends Plural>(plural: P): Lister<Kinds[P]> {
    return typed<Lister<Kinds[P]>>(this.#informer(plural).lister);
  }

  #informer(plural: Plural): InformedLister {
    const { informers, stop } = this.#shared;
    const onError = (error: unknown) => this.logger.debug('a watch failed', { resource: plural, error: String(error) });
    return getOrCreate(informers, plural, () => new InformedLister(this.#api(plural), stop.signal, onError));
  }

  #api(plural: Plural, namespace?: string): ResourceApi<ApiObject> {
    const { apiVersion, isNamespaced } = resourceTypes[plural];
    return this.#client.resource<ApiObject>(
      `${apiVersion}/${plural}`,
      isNamespaced && namespace !== undefined ? { namespace } : undefined,
    );
  }

  async synced(): Promise<void> {
    await Promise.all([...this.#shared.informers.values()].map(({ synced }) => synced));
  }

  async create<P extends Plural>(plural: P, object: WithoutTypeMeta<Kinds[P]>): Promise<Kinds[P]> {
    const { apiVersion, kind } = resourceTypes[plural];
    const body = sentBody({ ...object, apiVersion, kind });
    return this.#written(plural, this.#api(plural, body.metadata.namespace).create(body, { fieldManager: this.#component }));
  }

  async update<P extends Plural>(plural: P, object: Kinds[P], subresource?: 'status'): Promise<Kinds[P]> {
    const body = sentBody(object);
    const api = this.#api(plural, body.metadata.namespace);
    const options = { fieldManager: this.#component };
    return this.#written(plural, subresource ? api.updateStatus(body, options) : api.update(body, options));
  }

  async #written<P extends Plural>(plural: P, write: Promise<ApiObject>): Promise<Kinds[P]> {
    const object = await asStatusError(write);
    this.#shared.informers.get(plural)?.put(object);
    return typed<Kinds[P]>(object);
  }

  async delete(plural: Plural, { metadata }: ApiObject, { uid, ...options }: ClusterDeleteOptions = {}): Promise<void> {
    const api = this.#api(plural, metadata.namespace);
    const request = { ...options, ...(uid !== undefined && { preconditions: { uid } }) };
    const left = (await asStatusError(api.delete(metadata.name ?? '', request))) as Partial<ApiObject>;
    const informer = this.#shared.informers.get(plural);
    const isPending =
      left.kind === resourceTypes[plural].kind &&
      left.metadata?.deletionTimestamp !== undefined &&
      options.gracePeriodSeconds !== 0;
    if (isPending) informer?.put(left as ApiObject);
    else informer?.removed(metadata);
  }

  async bind(pod: Kinds['pods'], node: string): Promise<void> {
    const { name = '', namespace, uid } = pod.metadata;
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target: { kind: 'Node', name: node } };
    const api = this.#api('pods', namespace);
    await asStatusError(api.subresource(name, 'binding').create(body as never, { fieldManager: this.#component }));
  }

  async podMetrics(namespace: string, selector: LabelSelector): Promise<PodMetrics[]> {
    const api = this.#client.resource<ApiObject & Omit<PodMetrics, 'name'>>('metrics.k8s.io/v1beta1/pods', { namespace });
    try {
      const { items } = await api.list({ labelSelector: selector.toString() });
      return items.map(({ metadata, containers }) => ({ name: metadata.name ?? '', containers }));
    } catch (error) {
      throw new Error(`unable to fetch metrics from resource metrics API: ${(error as Error).message}`, { cause: error });
    }
  }

  as(component: string): Cluster {
    return new ClientCluster(this.#client, this.#options, component, this.#shared);
  }

  stop(): void {
    this.#shared.stop.abort();
  }
}

async function asStatusError<T>(request: Promise<T>): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError) throw new StatusError({ ...error.status, code: error.code }, { cause: error });
    throw error;
  }
}

const rememberedDeletions = 10_000;

/** A lister that is fed by an informer and, sooner, by the responses of writes. Older states never replace newer ones. */
class InformedLister {
  readonly lister = new Lister<ApiObject>();
  readonly synced: Promise<void>;
  readonly #deleted = new BoundedCache<string, true>({ entries: rememberedDeletions });

  constructor(api: ResourceApi<ApiObject>, signal: AbortSignal, onError: (error: unknown) => void) {
    const informer = new Informer(api, { onError, initial: 'list' });
    informer.addHandler({
      onAdd: (object) => this.put(object),
      onUpdate: (object) => this.put(object),
      onDelete: ({ metadata }) => this.removed(metadata),
    });
    informer.run(signal).catch(onError);
    this.synced = informer.synced();
  }

  put(object: ApiObject): void {
    const { namespace = '', name = '', uid = '', resourceVersion } = object.metadata;
    const known = this.lister.get(namespace, name);
    const isOld = known !== undefined && Number(known.metadata.resourceVersion) >= Number(resourceVersion);
    if (!isOld && !this.#deleted.get(uid)) this.lister.put(object);
  }

  removed({ namespace = '', name = '', uid = '' }: ApiObject['metadata']): void {
    this.#deleted.set(uid, true);
    if (this.lister.get(namespace, name)?.metadata.uid === uid) this.lister.remove(namespace, name);
  }
}
