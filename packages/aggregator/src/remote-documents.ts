import { createHash } from 'node:crypto';
import { type Logger, type RemoteSpec, type RemoteVersion, WorkQueue } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, objectIn, parseJson, textIn } from '@tsukube/machinery';
import type { Connections, Route } from './connections.ts';
import { resourcesInLegacyList, resourcesInList } from './discovered-resources.ts';
import { type FetchedDocument, fetchDocument } from './fetch-document.ts';
import { discoveryPathOf, type RemoteApi } from './remote-api.ts';
import type { RemoteApis } from './remote-apis.ts';
import { parseSpec } from './remote-spec.ts';

const refreshMs = 60_000;
const timeoutMs = 5000;
/** OpenAPI documents are built by the backend when they are first asked for. */
const specTimeoutMs = 60_000;
const maxBytes = 16 << 20;
const form = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
const accept = `${form('v2')},${form('v2beta1')}`;

/** The documents of a backend about one of its APIs. */
interface Documents {
  readonly resources: readonly JsonObject[];
  readonly etag?: string | undefined;
  /** URL of the OpenAPI 3 document, relative to the server; undefined if there is none. */
  readonly openApi3?: string | undefined;
}

/** The OpenAPI 2 document of a backend about one of its APIs, as of its ETag. */
interface KnownSpec {
  readonly etag: string;
  readonly spec: RemoteSpec;
}

/** Discovery and OpenAPI of the remote APIs, fetched after every change and once a minute. */
export class RemoteDocuments {
  readonly #apis: RemoteApis;
  readonly #connections: Connections;
  readonly #onChange: () => void;
  readonly #documents = new Map<string, Documents>();
  readonly #specs = new Map<string, KnownSpec>();
  readonly #queue: WorkQueue;
  readonly #specQueue: WorkQueue;

  constructor(apis: RemoteApis, connections: Connections, onChange: () => void, logger: Logger) {
    this.#apis = apis;
    this.#connections = connections;
    this.#onChange = onChange;
    this.#queue = new WorkQueue((name) => this.#refresh(name), logger);
    this.#specQueue = new WorkQueue((name) => this.#refreshSpec(name), logger);
    apis.onChange(({ name }) => {
      onChange();
      this.#queue.add(name);
      this.#specQueue.add(name);
    });
  }

  /** For discovery. An API that is down is listed without resources, and as stale. */
  versions(): readonly RemoteVersion[] {
    return this.#apis.all().map(({ name, group, version, groupPriority, versionPriority }) => {
      const documents = this.#documents.get(name);
      const { resources = [] } = documents ?? {};
      return { group, version, groupPriority, versionPriority, resources, isStale: documents === undefined };
    });
  }

  /** OpenAPI 3 documents by their name below /openapi/v3/. */
  *openApi3(): Iterable<readonly [name: string, url: string]> {
    for (const api of this.#apis.all()) {
      const url = this.#documents.get(api.name)?.openApi3;
      if (url !== undefined) yield [discoveryPathOf(api).slice(1), url];
    }
  }

  /** OpenAPI 2 documents, in the order of priorities. */
  specs(): readonly RemoteSpec[] {
    const byPriority = [...this.#apis.all()].sort(comparePriority(this.#apis.all()));
    return byPriority.flatMap(({ name }) => this.#specs.get(name)?.spec ?? []);
  }

  stop(): void {
    this.#queue.stop();
    this.#specQueue.stop();
  }

  #apiNamed(name: string): RemoteApi | undefined {
    return this.#apis.all().find((each) => each.name === name);
  }

  /** A document that cannot be fetched is left out until it can. */
  async #refreshSpec(name: string): Promise<void> {
    const api = this.#apiNamed(name);
    if (!api?.isAvailable) return this.#setSpec(name, undefined);
    try {
      this.#setSpec(name, await fetchSpec(api, await this.#connections.routeTo(api), this.#specs.get(name)));
    } catch (error) {
      this.#setSpec(name, undefined);
      throw error;
    }
    this.#specQueue.addAfter(name, refreshMs);
  }

  #setSpec(name: string, known: KnownSpec | undefined): void {
    const before = this.#specs.get(name);
    if (known) this.#specs.set(name, known);
    else this.#specs.delete(name);
    if (known?.etag !== before?.etag) this.#onChange();
  }

  async #refresh(name: string): Promise<void> {
    const api = this.#apiNamed(name);
    if (!api?.isAvailable) return this.#set(name, undefined);
    const route = await this.#connections.routeTo(api);
    try {
      const discovered = await this.#discover(api, route);
      this.#set(name, { ...discovered, openApi3: await openApi3Url(api, route) });
    } catch (error) {
      this.#set(name, undefined);
      throw error;
    }
    this.#queue.addAfter(name, refreshMs);
  }

  #set(name: string, documents: Documents | undefined): void {
    const before = JSON.stringify(this.#documents.get(name));
    if (documents) this.#documents.set(name, documents);
    else this.#documents.delete(name);
    if (JSON.stringify(documents) !== before) this.#onChange();
  }

  async #discover(api: RemoteApi, route: Route): Promise<Documents> {
    const known = this.#documents.get(api.name);
    const fetched = await fetchDocument(route, '/apis', { accept, etag: known?.etag, timeoutMs, maxBytes });
    if (fetched.status === 304 && known) return known;
    if (fetched.status === 503) throw new Error('the backend answered its discovery with 503');
    const isAggregated = fetched.headers.get('content-type')?.includes('as=APIGroupDiscoveryList') ?? false;
    if (fetched.status !== 200 || !isAggregated) return legacyDocuments(api, route);
    const resources = resourcesInList(jsonOf(fetched)).get(`${api.group}/${api.version}`);
    if (!resources) throw new Error(`the discovery of the backend has no ${api.group}/${api.version}`);
    return { resources, etag: fetched.headers.get('etag') };
  }
}

/** Groups by the highest priority of their versions, then versions by theirs, then by name. */
function comparePriority(apis: readonly RemoteApi[]): (a: RemoteApi, b: RemoteApi) => number {
  const groups = new Map<string, number>();
  for (const { group, groupPriority } of apis) groups.set(group, Math.max(groups.get(group) ?? 0, groupPriority));
  const ofGroup = ({ group }: RemoteApi) => groups.get(group) ?? 0;
  return (a, b) => {
    const difference = a.group === b.group ? b.versionPriority - a.versionPriority : ofGroup(b) - ofGroup(a);
    return difference || (a.name < b.name ? -1 : 1);
  };
}

/** The OpenAPI 2 document of a backend, or the known one if it has not changed. Undefined if the backend has none. */
async function fetchSpec(api: RemoteApi, route: Route, known: KnownSpec | undefined): Promise<KnownSpec | undefined> {
  const options = { accept: 'application/json', timeoutMs: specTimeoutMs, maxBytes };
  const { status, headers, body } = await fetchDocument(route, '/openapi/v2', { ...options, etag: known?.etag });
  if (status === 304 && known) return known;
  if (status === 404) return undefined;
  if (status !== 200) throw new Error(`the backend answered its OpenAPI document with ${status}`);
  const etag = headers.get('etag') ?? createHash('sha256').update(body).digest('hex');
  if (etag === known?.etag) return known;
  return { etag, spec: await parseSpec(body, `/apis/${api.group}/${api.version}/`) };
}

async function legacyDocuments(api: RemoteApi, route: Route): Promise<Documents> {
  const fetched = await fetchDocument(route, discoveryPathOf(api), { accept: 'application/json', timeoutMs, maxBytes });
  if (fetched.status !== 200) throw new Error(`the backend answered its discovery with ${fetched.status}`);
  return { resources: resourcesInLegacyList(jsonOf(fetched)) };
}

/** The backend's own URL of the document, which names its hash. A backend without OpenAPI is left out. */
async function openApi3Url(api: RemoteApi, route: Route): Promise<string | undefined> {
  const fetched = await fetchDocument(route, '/openapi/v3', { accept: 'application/json', timeoutMs, maxBytes });
  if (fetched.status !== 200) return undefined;
  const index = jsonOf(fetched);
  const paths = isObject(index) ? objectIn(index, 'paths') : undefined;
  const name = discoveryPathOf(api).slice(1);
  const entry = paths && Object.hasOwn(paths, name) ? objectIn(paths, name) : undefined;
  const url = textIn(entry, 'serverRelativeURL');
  return url.startsWith(`/openapi/v3/${name}`) ? url : undefined;
}

function jsonOf({ body }: FetchedDocument): JsonValue {
  return parseJson(body).value;
}
