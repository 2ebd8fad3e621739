import type { metaV1 } from '@tsukube/api/kinds';
import { ConnectionError } from '../http/transport.ts';
import type { ApiClient, CallOptions, RestRequest } from './api-client.ts';
import { isExpired } from './api-error.ts';
import type { ApiObject, ObjectList, SubresourceOf, WatchEvent } from './api-object.ts';
import { collectionPath, type ResourceName, type ResourceScope, segment, withQuery } from './resource-name.ts';
import { watchEvents } from './watch-events.ts';
import { type ApplyOptions, applyRequest, type Patch, patchRequest, type WriteOptions, writeQuery } from './write-options.ts';

/** Label selectors are text, or labels that must be equal. */
export interface Selectors {
  readonly labelSelector?: string | Readonly<Record<string, string>> | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selectors, CallOptions {
  readonly limit?: number | undefined;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends Selectors, CallOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'NotOlderThan';
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: metaV1.Preconditions;
  readonly dryRun?: boolean;
}

/** The objects of a resource, in one namespace or everywhere. All methods reject with ApiError, ConnectionError or the signal's reason. */
export class ResourceApi<T extends ApiObject, Name extends string = string> {
  readonly client: ApiClient;
  readonly resource: ResourceName;
  readonly scope: ResourceScope;

  constructor(client: ApiClient, resource: ResourceName, scope: ResourceScope = {}) {
    this.client = client;
    this.resource = resource;
    this.scope = scope;
  }

  /** The same resource in a namespace. */
  in(namespace: string | undefined): ResourceApi<T, Name> {
    return new ResourceApi(this.client, this.resource, { namespace });
  }

  get(name: string, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<T> {
    const { resourceVersion, ...call } = options;
    return this.client.json({ ...call, method: 'GET', path: withQuery(this.#path(name), { resourceVersion }) });
  }

  /** One page if there is a limit; the rest follows with `continue` of its metadata. */
  async list(options: ListOptions = {}): Promise<ObjectList<T>> {
    const { signal, timeoutMs, labelSelector, ...query } = options;
    const path = withQuery(this.#path(), { ...query, labelSelector: selectorText(labelSelector) });
    const list = await this.client.json<ObjectList<T>>({ method: 'GET', path, signal, timeoutMs });
    return withTypes(list);
  }

  /** A list in pages of `limit`, 500 by default. Fails with an expired ApiError if that takes too long. */
  async *pages(options: ListOptions = {}): AsyncGenerator<ObjectList<T>> {
    let page = await this.list({ limit: 500, ...options });
    yield page;
    while (page.metadata.continue) {
      page = await this.list({ limit: 500, ...options, continue: page.metadata.continue });
      yield page;
    }
  }

  /** All objects, read in pages; at once if the pages expire. */
  async listAll(options: ListOptions = {}): Promise<ObjectList<T>> {
    try {
      const items: T[] = [];
      let last: ObjectList<T> | undefined;
      for await (const page of this.pages(options)) {
        last = page;
        for (const item of page.items) items.push(item);
      }
      return { ...(last as ObjectList<T>), items };
    } catch (error) {
      if (!isExpired(error)) throw error;
      return this.list({ ...options, limit: undefined });
    }
  }

  /** Events until the server ends the watch. ERROR events are thrown as ApiError. Nothing is retried: see `watcher`. */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    for await (const events of this.watchBatches(options)) yield* events;
  }

  /** Like `watch`, with the events that arrive together in one array. */
  watchBatches(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>[]> {
    const { signal, timeoutMs, labelSelector, ...query } = options;
    const path = withQuery(this.#path(), { watch: true, ...query, labelSelector: selectorText(labelSelector) });
    return watchEvents<T>(this.client, { method: 'GET', path, signal, timeoutMs, noRetry: true });
  }

  create(object: T, options: WriteOptions = {}): Promise<T> {
    const path = withQuery(this.#path(), writeQuery(options));
    return this.client.json({ ...callOf(options), method: 'POST', path, body: object });
  }

  /** Replaces an object. With a resourceVersion in its metadata, the server refuses it if the object was changed since. */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    const path = withQuery(this.#path(nameOf(object)), writeQuery(options));
    return this.client.json({ ...callOf(options), method: 'PUT', path, body: object });
  }

  patch(name: string, patch: Patch, options: WriteOptions = {}): Promise<T> {
    return this.client.json(patchRequest(this.#path(name), patch, options));
  }

  /** Server-side apply: creates or changes the object; the fields in it belong to `fieldManager` afterwards. */
  apply(object: Applied<T>, options: ApplyOptions): Promise<T> {
    return this.client.json(applyRequest(this.#path(nameOf(object)), object, options));
  }

  /** The object, if it still exists until finalizers are done; otherwise a Status. */
  delete(name: string, options: DeleteOptions = {}): Promise<T | metaV1Status> {
    return this.client.json(deleteRequest(this.#path(name), options));
  }

  deleteCollection(options: DeleteOptions & Selectors = {}): Promise<unknown> {
    const { labelSelector, fieldSelector, ...rest } = options;
    const path = withQuery(this.#path(), { labelSelector: selectorText(labelSelector), fieldSelector });
    return this.client.json(deleteRequest(path, rest));
  }

  /** A subresource of an object: `status`, `scale`, `eviction`, `token`, … */
  subresource<const Sub extends string>(name: string, sub: Sub): SubresourceApi<SubresourceOf<Name, Sub, T>> {
    const path = `${this.#path(name)}/${sub.split('/').map(segment).join('/')}`;
    return new SubresourceApi(this.client, path);
  }

  /** Changes the status of an object, which `update` ignores if the resource has the subresource. */
  updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    const status = new SubresourceApi<T>(this.client, `${this.#path(nameOf(object))}/status`);
    return status.update(object, options);
  }

  #path(name?: string): string {
    const collection = collectionPath(this.resource, this.scope);
    return name === undefined ? collection : `${collection}/${segment(name)}`;
  }
}

/** metav1.Status. */
type metaV1Status = { readonly kind: 'Status'; readonly status?: string };

/** Only the fields the manager has an opinion about. */
export type Applied<T extends ApiObject> = ApiObject & { [Field in Exclude<keyof T, keyof ApiObject>]?: DeepPartial<T[Field]> };
export type DeepPartial<T> = T extends readonly (infer Element)[]
  ? DeepPartial<Element>[]
  : T extends object
    ? { [Field in keyof T]?: DeepPartial<T[Field]> }
    : T;

/** A subresource of one object. */
export class SubresourceApi<S> {
  readonly #client: ApiClient;
  readonly #path: string;

  constructor(client: ApiClient, path: string) {
    this.#client = client;
    this.#path = path;
  }

  get(options: CallOptions = {}): Promise<S> {
    return this.#client.json({ ...options, method: 'GET', path: this.#path });
  }

  create<Result = S>(body: S, options: WriteOptions = {}): Promise<Result> {
    return this.#client.json({ ...callOf(options), method: 'POST', path: withQuery(this.#path, writeQuery(options)), body });
  }

  update(body: S, options: WriteOptions = {}): Promise<S> {
    return this.#client.json({ ...callOf(options), method: 'PUT', path: withQuery(this.#path, writeQuery(options)), body });
  }

  patch(patch: Patch, options: WriteOptions = {}): Promise<S> {
    return this.#client.json(patchRequest(this.#path, patch, options));
  }

  apply(body: DeepPartial<S> & Pick<ApiObject, 'apiVersion' | 'kind'>, options: ApplyOptions): Promise<S> {
    return this.#client.json(applyRequest(this.#path, body, options));
  }
}

function callOf({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs };
}

function nameOf({ metadata }: ApiObject): string {
  if (!metadata.name) throw new TypeError('the object has no metadata.name');
  return metadata.name;
}

function deleteRequest(path: string, { signal, timeoutMs, dryRun, ...options }: DeleteOptions): RestRequest {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options, ...(dryRun && { dryRun: ['All'] }) };
  return { method: 'DELETE', path, body, signal, timeoutMs };
}

function selectorText(selector: Selectors['labelSelector']): string | undefined {
  if (selector === undefined || typeof selector === 'string') return selector;
  return Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Items of lists of built-in kinds have no apiVersion and kind; they are derived from those of the list. */
function withTypes<T extends ApiObject>(list: ObjectList<T>): ObjectList<T> {
  const { apiVersion } = list;
  const kind = String(list.kind).replace(/List$/, '');
  const items = list.items ?? [];
  if (!Array.isArray(items) || items.some((item) => typeof item?.metadata !== 'object'))
    throw new ConnectionError('the response is not a list of objects');
  return { ...list, items: items.map((item) => (item.kind ? item : { ...item, apiVersion, kind })) };
}
