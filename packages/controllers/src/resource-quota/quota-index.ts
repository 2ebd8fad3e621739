import { type CacheEntry, CacheFollower, decodeObject, isReadable, nameOfKey, type ObjectRegistry } from '@tsukube/apiserver';
import { type Evaluator, type ResourceList, scopeRequirementsOf } from '@tsukube/builtin';
import { deepEqual, type JsonObject, mapIn, objectIn } from '@tsukube/machinery';
import { isComplete, quotaUsage } from './status.ts';
import type { CountedQuota } from './usage-counter.ts';

interface FollowedQuota extends CountedQuota {
  readonly hard: Readonly<Record<string, string>>;
  readonly used: ResourceList;
  /** Whether the status has all limits, and a usage for each. */
  readonly isComplete: boolean;
}

/** `incomplete`: a quota is new or has new limits. `charged`: its usage changed. */
export type QuotaChange = 'incomplete' | 'new' | 'charged';

/** The ResourceQuotas by namespace. */
export class QuotaIndex {
  readonly #registry: ObjectRegistry;
  readonly #namespaces = new Map<string, Map<string, FollowedQuota>>();
  readonly #onChange: (namespace: string, change: QuotaChange) => void;
  readonly #follower: CacheFollower;

  constructor(registry: ObjectRegistry, onChange: (namespace: string, change: QuotaChange) => void) {
    this.#registry = registry;
    this.#onChange = onChange;
    this.#follower = new CacheFollower(registry.cache, {
      onList: (entries) => {
        this.#namespaces.clear();
        for (const entry of entries) this.#put(entry);
      },
      onEvents: (events) => {
        for (const { type, entry } of events) type === 'put' ? this.#put(entry) : this.#remove(entry);
      },
    });
  }

  stop(): void {
    this.#follower.stop();
  }

  /** The namespaces that have quotas. */
  get namespaces(): ReadonlySet<string> {
    return new Set(this.#namespaces.keys());
  }

  get isEmpty(): boolean {
    return this.#namespaces.size === 0;
  }

  has(namespace: string): boolean {
    return this.#namespaces.has(namespace);
  }

  in(namespace: string): readonly FollowedQuota[] {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])];
  }

  /** Whether a quota of the namespace counts the resource of an evaluator. */
  counts(namespace: string, evaluator: Evaluator): boolean {
    for (const { names } of this.#namespaces.get(namespace)?.values() ?? [])
      if (evaluator.matchingResources(names).length > 0) return true;
    return false;
  }

  #put(entry: CacheEntry): void {
    const { namespace, name } = nameOfKey(this.#registry.resource, entry.key);
    if (!isReadable(entry)) {
      this.#remove(entry);
      return;
    }
    const quota = followed(name, decodeObject(entry.value));
    const quotas = this.#namespaces.get(namespace) ?? new Map<string, FollowedQuota>();
    const before = quotas.get(name);
    this.#namespaces.set(namespace, quotas.set(name, quota));
    // A quota of a resource that is not served stays incomplete.
    const isRenewed = !before || before.isComplete || !deepEqual(before.hard, quota.hard);
    if (!quota.isComplete && isRenewed) this.#onChange(namespace, 'incomplete');
    else this.#onChange(namespace, before ? 'charged' : 'new');
  }

  #remove({ key }: CacheEntry): void {
    const { namespace, name } = nameOfKey(this.#registry.resource, key);
    const quotas = this.#namespaces.get(namespace);
    quotas?.delete(name);
    if (quotas?.size === 0) this.#namespaces.delete(namespace);
  }
}

function followed(name: string, quota: JsonObject): FollowedQuota {
  const spec = objectIn(quota, 'spec');
  const hard = mapIn(spec, 'hard');
  return {
    name,
    hard,
    names: Object.keys(hard),
    scopes: scopeRequirementsOf(spec),
    used: quotaUsage(quota),
    isComplete: isComplete(quota),
  };
}
