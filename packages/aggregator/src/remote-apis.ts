import { isDeepStrictEqual } from 'node:util';
import { followObjects, type ObjectRegistry } from '@tsukube/apiserver';
import { pathOf, type RemoteApi, remoteApiOf } from './remote-api.ts';

/** Notified of remote APIs that are new, changed (their availability included) or removed. */
export type RemoteApiListener = (api: RemoteApi, isRemoved: boolean) => void;

/** The remote APIs, kept up to date from the watch cache of APIServices. */
export class RemoteApis {
  readonly #byName = new Map<string, RemoteApi>();
  readonly #byPath = new Map<string, RemoteApi>();
  readonly #listeners: RemoteApiListener[] = [];
  #stop: () => void = () => {};

  /** Resolves when all APIServices are known. */
  async follow(apiServices: ObjectRegistry): Promise<void> {
    this.#stop = await followObjects(apiServices, {
      put: (_namespace, name, entry) => this.#set(name, remoteApiOf(entry)),
      remove: (_namespace, name) => this.#set(name, undefined),
    });
  }

  onChange(listener: RemoteApiListener): void {
    this.#listeners.push(listener);
  }

  all(): readonly RemoteApi[] {
    return [...this.#byName.values()];
  }

  /** The API that owns a path; undefined if this server answers it. */
  at(path: string): RemoteApi | undefined {
    if (this.#byPath.size === 0) return undefined;
    const prefix = prefixOf(path.startsWith(openApi3) ? path.slice(openApi3.length) : path);
    return prefix === undefined ? undefined : this.#byPath.get(prefix);
  }

  stop(): void {
    this.#stop();
  }

  #set(name: string, api: RemoteApi | undefined): void {
    const before = this.#byName.get(name);
    if (before && api && isDeepStrictEqual(before, api)) return;
    if (before) this.#byPath.delete(pathOf(before));
    if (api) {
      this.#byName.set(name, api);
      this.#byPath.set(pathOf(api), api);
    } else this.#byName.delete(name);
    const told = api ?? before;
    if (told) for (const listener of this.#listeners) listener(told, api === undefined);
  }
}

/** The OpenAPI documents of remote APIs are at their backends too. */
const openApi3 = '/openapi/v3';

/** `/apis/GROUP/VERSION` or `/api`, at the start of a path. */
function prefixOf(path: string): string | undefined {
  if (!path.startsWith('/apis/')) return path === '/api' || path.startsWith('/api/') ? '/api' : undefined;
  const version = path.indexOf('/', '/apis/'.length);
  if (version < 0) return undefined;
  const end = path.indexOf('/', version + 1);
  return end < 0 ? path : path.slice(0, end);
}
