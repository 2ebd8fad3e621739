import type { Any, Client } from '../support/client.ts';
import type { Answered, Ask } from './clients.ts';
import type { Findings } from './findings.ts';
import type { FuzzedResource } from './resources.ts';

const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const partial = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const protobuf = 'application/vnd.kubernetes.protobuf';

/** The maximum number of objects per resource; the rest is deleted. */
const kept = 40;

/** Checks that all stored objects can be listed in all encodings, read, written back and deleted. */
export class Inspector {
  readonly #ask: Ask;
  readonly #findings: Findings;
  inspected = 0;

  constructor(ask: Ask, findings: Findings) {
    this.#ask = ask;
    this.#findings = findings;
  }

  /** Lists in every encoding; reads and writes back some of the objects. */
  async inspect(resource: FuzzedResource, wanted: number): Promise<void> {
    if (!resource.verbs.includes('list')) return;
    const items = await this.#list(resource);
    const accepts = [table, partial, 'application/yaml', ...(resource.type === undefined ? [] : [protobuf])];
    for (const accept of accepts) await this.#expect(resource, 'GET', resource.path, [200], accept);
    for (const item of items.slice(0, wanted)) await this.#readAndWriteBack(resource, item);
    if (items.length > kept) for (const item of items) await this.remove(resource, item);
    this.inspected++;
  }

  async listFuzzed(resource: FuzzedResource): Promise<Any[]> {
    const items = await this.#list(resource);
    return items.filter(({ metadata }) => metadata.labels?.fuzz === 'yes' || /^f(s?\d|-)/.test(metadata.name));
  }

  /** Deletes an object and removes its finalizers. */
  async remove(resource: FuzzedResource, { metadata }: Any): Promise<void> {
    const path = `${resource.path}/${encodeURIComponent(metadata.name)}`;
    if (metadata.finalizers?.length > 0) {
      const body = Buffer.from('{"metadata":{"finalizers":null}}');
      await this.#expect(resource, 'PATCH', path, [200, 404, 409, 422], undefined, body, 'application/merge-patch+json');
    }
    const now = Buffer.from('{"gracePeriodSeconds":0,"propagationPolicy":"Background"}');
    await this.#expect(resource, 'DELETE', path, [200, 202, 404, 409], undefined, now);
  }

  async #list(resource: FuzzedResource): Promise<Any[]> {
    const answer = await this.#expect(resource, 'GET', resource.path, [200]);
    if (answer.status !== 200) return [];
    const { items } = JSON.parse(answer.body.toString('utf8'));
    const isStored = resource.plural !== 'componentstatuses';
    for (const { metadata } of items)
      if (isStored && (!metadata?.name || !metadata.uid || !metadata.resourceVersion))
        this.#complain(resource, 'listed without identity', JSON.stringify(metadata));
    return items;
  }

  async #readAndWriteBack(resource: FuzzedResource, { metadata }: Any): Promise<void> {
    const path = `${resource.path}/${encodeURIComponent(metadata.name)}`;
    const read = await this.#expect(resource, 'GET', path, [200, 404]);
    if (read.status !== 200) return;
    const accepts = ['application/yaml', table, ...(resource.type === undefined ? [] : [protobuf])];
    for (const accept of accepts) await this.#expect(resource, 'GET', path, [200, 404], accept);
    if (!resource.verbs.includes('update')) return;
    // As in Kubernetes, some kinds refuse stored objects on update; a server error is never acceptable.
    await this.#expect(resource, 'PUT', `${path}?dryRun=All`, [200, 400, 403, 404, 405, 409, 422], undefined, read.body);
  }

  async #expect(
    resource: FuzzedResource,
    method: string,
    path: string,
    statuses: readonly number[],
    accept = 'application/json',
    body?: Buffer,
    type = 'application/json',
  ): Promise<Answered> {
    const headers = { accept, ...(body && { 'content-type': type }) };
    const answer = await this.#ask({ method, path, headers, body });
    if (!statuses.includes(answer.status)) {
      const example = `${method} ${path} ${accept} ${body?.toString('utf8').slice(0, 2_000) ?? ''} → ${answer.body.toString('utf8').slice(0, 500)}`;
      this.#complain(resource, `${method} ${accept} answered ${answer.status}`, example);
    }
    return answer;
  }

  #complain({ plural, groupVersion }: FuzzedResource, what: string, example: string): void {
    this.#findings.add(`${what} (inspecting ${plural}.${groupVersion})`, example);
  }
}

/** Watches all objects of a resource and keeps their expected state. */
export class Follower {
  readonly resource: FuzzedResource;
  readonly #client: Client;
  readonly versions = new Map<string, string>();
  events = 0;
  #version: string | undefined;
  #stopped = false;
  #close: () => void = () => {};

  constructor(resource: FuzzedResource, client: Client) {
    this.resource = resource;
    this.#client = client;
  }

  async run(): Promise<void> {
    const { body } = await this.#client.get(this.resource.allPath);
    this.#version = body.metadata.resourceVersion;
    for (const { metadata } of body.items) this.versions.set(keyOf(metadata), metadata.resourceVersion);
    while (!this.#stopped) await this.#follow();
  }

  stop(): void {
    this.#stopped = true;
    this.#close();
  }

  async #follow(): Promise<void> {
    const query = `watch=1&allowWatchBookmarks=true&resourceVersion=${this.#version}`;
    const watch = await this.#client.watch(`${this.resource.allPath}?${query}`);
    this.#close = () => watch.close();
    if (this.#stopped) return watch.close();
    for (;;) {
      const [event] = await watch.take(1, 24 * 3_600_000);
      if (event === undefined) return;
      this.#take(event);
    }
  }

  #take({ type, object }: Any): void {
    const { metadata } = object;
    if (type === 'ERROR') throw new Error(`the watch of ${this.resource.plural} failed: ${JSON.stringify(object)}`);
    this.#version = metadata.resourceVersion;
    this.events++;
    if (type === 'BOOKMARK') return;
    if (type === 'DELETED') this.versions.delete(keyOf(metadata));
    else this.versions.set(keyOf(metadata), metadata.resourceVersion);
  }

  /** Differences between a list and the state from the watch; waits for pending events. */
  async differences(timeoutMs = 10_000): Promise<string[]> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const { body } = await this.#client.get(this.resource.allPath);
      const listed = new Map<string, string>(body.items.map(({ metadata }: Any) => [keyOf(metadata), metadata.resourceVersion]));
      const keys = new Set([...listed.keys(), ...this.versions.keys()]);
      const differing = [...keys].filter((key) => listed.get(key) !== this.versions.get(key));
      if (differing.length === 0 || Date.now() > end)
        return differing.map((key) => `${key}: listed ${listed.get(key)}, watched ${this.versions.get(key)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function keyOf({ namespace = '', name }: Any): string {
  return `${namespace}/${name}`;
}
