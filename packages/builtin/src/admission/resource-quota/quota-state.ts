import {
  asServer,
  type CacheEntry,
  decodeObject,
  type ObjectCache,
  type ObjectRegistry,
  updateExisting,
} from '@tsukube/apiserver';
import { BoundedCache, type JsonObject, mapIn, objectIn, textIn } from '@tsukube/machinery';
import { parseResourceList, type ResourceList, resourceListObject } from './resource-list.ts';
import { type ScopeRequirement, scopeRequirementsOf } from './scopes.ts';

/** The parts of a ResourceQuota that admission reads. Limits and usage are those of its status. */
export interface QuotaState {
  readonly name: string;
  readonly revision: number;
  readonly scopes: readonly ScopeRequirement[];
  readonly hard: ResourceList;
  /** The names of `hard`. */
  readonly names: readonly string[];
  readonly used: ResourceList;
}

export function quotaState(quota: JsonObject, revision: number): QuotaState {
  const status = objectIn(quota, 'status');
  const hard = parseResourceList(mapIn(status, 'hard'));
  return {
    name: textIn(objectIn(quota, 'metadata'), 'name'),
    revision,
    scopes: scopeRequirementsOf(objectIn(quota, 'spec')),
    hard,
    names: [...hard.keys()],
    used: parseResourceList(mapIn(status, 'used')),
  };
}

const maxStates = 4096;

/** Reads the quotas of a namespace, decoded once for each revision. */
export class QuotaReader {
  readonly #cache: ObjectCache;
  readonly #states = new BoundedCache<string, QuotaState>({ entries: maxStates });

  constructor(cache: ObjectCache) {
    this.#cache = cache;
  }

  /** Undefined if `isEmpty` and `read` may be called now. */
  fresh(): Promise<boolean> | undefined {
    return this.#cache.fresh();
  }

  isEmpty(namespace: string): boolean {
    return this.#cache.size === 0 || this.#cache.count(this.#prefix(namespace)) === 0;
  }

  read(namespace: string): readonly QuotaState[] {
    return this.#cache.slice(this.#prefix(namespace)).map((entry) => this.#stateOf(entry));
  }

  #prefix(namespace: string): string {
    return `${this.#cache.prefix}${namespace}/`;
  }

  #stateOf(entry: CacheEntry): QuotaState {
    const known = this.#states.get(entry.key);
    if (known?.revision === entry.revision) return known;
    const state = quotaState(decodeObject(entry.value), entry.revision);
    this.#states.set(entry.key, state);
    return state;
  }
}

/** Stores the usage of a quota. Rejects with a conflict if the quota has changed since its revision. */
export function usageUpdates(registry: ObjectRegistry): (namespace: string, quota: QuotaState) => Promise<void> {
  return async (namespace, { name, revision, used }) => {
    const context = asServer(registry, namespace, 'status');
    await updateExisting(registry, name, undefined, (quota) => withUsage(quota, revision, used), context);
  };
}

function withUsage(quota: JsonObject, revision: number, used: ResourceList): JsonObject {
  const metadata = { ...objectIn(quota, 'metadata'), resourceVersion: String(revision) };
  return { ...quota, metadata, status: { ...objectIn(quota, 'status'), used: resourceListObject(used) } };
}
