import { decodeObject, type ResourceRequest, readRequestBody, subpathOf, type User, writeContext } from '@tsukube/apiserver';
import { deepCopy, JsonSyntaxError, type JsonValue, type KubeObject, parseJson, StatusError } from '@tsukube/machinery';
import { typedObject } from '../schema/schema-types.ts';

/** Changes an object in place. */
export type MutateFn<T> = (object: T) => void | Promise<void>;

/** A request for a subresource of an object. */
export class SubresourceRequest<T> {
  /** The request in the terms of the API server. */
  readonly request: ResourceRequest;

  constructor(request: ResourceRequest) {
    this.request = request;
  }

  get name(): string {
    return this.request.info.name;
  }

  /** Undefined for cluster-scoped resources. */
  get namespace(): string | undefined {
    return this.request.info.namespace || undefined;
  }

  get user(): User {
    return this.request.user;
  }

  get method(): string {
    return this.request.method;
  }

  get query(): URLSearchParams {
    return this.request.query;
  }

  /** The path behind the subresource, such as `/logs/today`, or empty. */
  get subpath(): string {
    return subpathOf(this.request);
  }

  /** Aborted when the client is gone, or at the deadline of a request that is not a stream. */
  get signal(): AbortSignal {
    return this.request.signal;
  }

  /** A header by its name in lower case. */
  header(name: string): string | undefined {
    return this.request.exchange.header(name);
  }

  /** Adds a Warning header to the response. */
  warn(text: string): void {
    this.request.warn(text);
  }

  /** The body, up to 3 MiB. Rejects with 413. */
  body(): Promise<Buffer> {
    return readRequestBody(this.request);
  }

  /** The body as JSON; undefined if it is empty. Rejects with 400. */
  async json(): Promise<JsonValue | undefined> {
    const body = await this.body();
    if (body.length === 0) return undefined;
    try {
      return parseJson(body).value as JsonValue;
    } catch (error) {
      if (error instanceof JsonSyntaxError) throw StatusError.badRequest(`the body is not JSON: ${error.message}`);
      throw error;
    }
  }

  /** The object. Rejects with 404 if there is none. */
  async object(): Promise<T> {
    const { objects, info, version, resource } = this.request;
    const entry = await objects.cache.get(objects.key(info.namespace, info.name));
    if (!entry) throw StatusError.notFound({ group: version.group, resource: resource.names.plural }, info.name);
    return typedObject(decodeObject(entry.value));
  }

  /** Changes the object as an update by the user, with strategy and validation. Repeated if it changes meanwhile. */
  update(change: MutateFn<T>): Promise<T> {
    return this.#write(change, '');
  }

  /** Changes the status as an update of the status subresource. */
  updateStatus(change: MutateFn<T>): Promise<T> {
    return this.#write(change, 'status');
  }

  async #write(change: MutateFn<T>, subresource: '' | 'status'): Promise<T> {
    const { request } = this;
    const { objects, info, resource } = request;
    const context = writeContext(request, false, request.user.name.slice(0, 128) || 'subresource');
    const strategy = { ...resource.strategy, ...resource.subresources?.[subresource]?.strategy };
    const changed = async (existing: KubeObject | undefined) => {
      const object = deepCopy(existing as KubeObject);
      await change(typedObject(object));
      return object;
    };
    const { entry } = await objects.update(info.name, undefined, changed, { ...context, verb: 'update', subresource, strategy });
    return typedObject(decodeObject(entry.value));
  }
}
