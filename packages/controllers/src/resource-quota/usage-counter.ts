import { type CacheEntry, decodeObject, type ObjectRegistry, type Resource } from '@tsukube/apiserver';
import {
  addTo,
  type Evaluator,
  type EvaluatorRegistry,
  isInScope,
  type ObjectUsage,
  objectCountName,
  type ResourceList,
  resourceListObject,
  type ScopeRequirement,
} from '@tsukube/builtin';
import { BoundedCache, canonicalJson, type Quantity, zeroQuantity } from '@tsukube/machinery';
import { CorruptValue, TimeSlice } from '@tsukube/storage';
import type { ControllerContext } from '../controller.ts';

/** A quota whose usage is counted. */
export interface CountedQuota {
  readonly name: string;
  /** The resource names of the spec. */
  readonly names: readonly string[];
  readonly scopes: readonly ScopeRequirement[];
}

export interface Counted {
  /** By name of quota. */
  readonly usage: ReadonlyMap<string, ResourceList>;
  readonly errors: readonly unknown[];
  /** The time that objects were read and measured, without waits. */
  readonly busyMs: number;
}

const pageSize = 500;
const maxMeasurements = 10_000;

/**
 * Counts the objects of a namespace, in slices. An object is read again only after it has changed; most objects of a kind use the
 * same and share a measurement.
 */
export class UsageCounter {
  readonly #context: ControllerContext;
  readonly #evaluators: Pick<EvaluatorRegistry, 'of'>;
  readonly #measured = new WeakMap<CacheEntry, ObjectUsage>();
  readonly #shared = new BoundedCache<string, ObjectUsage>({ entries: maxMeasurements });

  constructor(context: ControllerContext, evaluators: Pick<EvaluatorRegistry, 'of'>) {
    this.#context = context;
    this.#evaluators = evaluators;
  }

  /** Counts the objects of all resources that are served. Usage of a resource that cannot be listed is left out. */
  async count(namespace: string, quotas: readonly CountedQuota[]): Promise<Counted> {
    const usage = new Map(quotas.map(({ name }) => [name, new Map<string, Quantity>()]));
    const errors: unknown[] = [];
    const unknown: Evaluator[] = [];
    let busyMs = 0;
    for (const resource of distinctResources(this.#context.resources)) {
      const evaluator = this.#evaluators.of(resource);
      if (!evaluator) continue;
      try {
        busyMs += await this.#countResource(namespace, resource, evaluator, quotas, usage);
      } catch (error) {
        errors.push(error);
        unknown.push(evaluator);
      }
    }
    for (const { name, names } of quotas)
      for (const lost of unknown.flatMap((evaluator) => evaluator.matchingResources(names))) usage.get(name)?.delete(lost);
    return { usage, errors, busyMs };
  }

  /** Returns the time that it took, without waits. */
  async #countResource(
    namespace: string,
    resource: Resource,
    evaluator: Evaluator,
    quotas: readonly CountedQuota[],
    totals: ReadonlyMap<string, Map<string, Quantity>>,
  ): Promise<number> {
    if (!quotas.some(({ names }) => evaluator.matchingResources(names).length > 0)) return 0;
    const registry = this.#context.registryOf(resource);
    if (!registry) return 0;
    await evaluator.fresh?.();
    await registry.cache.fresh();
    const { found, busyMs } = await this.#measurements(namespace, registry, evaluator);
    for (const quota of quotas) {
      const matching = new Set(evaluator.matchingResources(quota.names));
      const total = totals.get(quota.name) as Map<string, Quantity>;
      addTo(total, new Map([...matching].map((name) => [name, zeroQuantity])));
      for (const [{ usage, facts }, count] of found) {
        const isCounted = quota.scopes.every((scope) => facts !== undefined && matches(scope, facts));
        if (isCounted) addTo(total, multiplied(usage, count, matching));
      }
    }
    return busyMs;
  }

  /** Measurements, with the number of objects that have each. */
  async #measurements(
    namespace: string,
    registry: ObjectRegistry,
    evaluator: Evaluator,
  ): Promise<{ readonly found: ReadonlyMap<ObjectUsage, number>; readonly busyMs: number }> {
    const { cache } = registry;
    const prefix = registry.prefix(namespace);
    if (evaluator.isCount) return { found: new Map([[evaluator.measure({}), cache.count(prefix)]]), busyMs: 0 };
    const found = new Map<ObjectUsage, number>();
    const slice = new TimeSlice();
    let since = performance.now();
    let busyMs = 0;
    for (let from: string | undefined = ''; from !== undefined; ) {
      const page: readonly CacheEntry[] = cache.slice(prefix, from, pageSize);
      for (const entry of page) {
        const measurement = this.#measure(entry, evaluator);
        found.set(measurement, (found.get(measurement) ?? 0) + 1);
        if (!slice.over) continue;
        busyMs += performance.now() - since;
        await slice.rest();
        since = performance.now();
      }
      from = page.length < pageSize ? undefined : `${page.at(-1)?.key}\0`;
    }
    return { found, busyMs: busyMs + performance.now() - since };
  }

  #measure(entry: CacheEntry, evaluator: Evaluator): ObjectUsage {
    const known = this.#measured.get(entry);
    if (known) return known;
    try {
      const object = decodeObject(entry.value);
      const measurement = this.#share(evaluator.measure(object));
      if (evaluator.isStable(object)) this.#measured.set(entry, measurement);
      return measurement;
    } catch (error) {
      if (!(error instanceof CorruptValue)) throw error;
      return this.#share(countOnly(evaluator));
    }
  }

  #share(measurement: ObjectUsage): ObjectUsage {
    const { usage, facts } = measurement;
    const key = canonicalJson({ usage: resourceListObject(usage), scopes: JSON.stringify(facts ?? null) });
    return this.#shared.getOrCreate(key, () => measurement);
  }
}

/** Only the existence of a corrupt object is known. */
function countOnly(evaluator: Evaluator): ObjectUsage {
  return { usage: new Map([[objectCountName(evaluator), { mantissa: 1n, exponent: 0, format: 'DecimalSI' }]]) };
}

/** A selector that admission cannot evaluate selects nothing. */
function matches(scope: ScopeRequirement, facts: NonNullable<ObjectUsage['facts']>): boolean {
  try {
    return isInScope(scope, facts);
  } catch {
    return false;
  }
}

function multiplied(usage: ResourceList, count: number, names: ReadonlySet<string>): ResourceList {
  const factor = BigInt(count);
  const result = new Map<string, Quantity>();
  for (const [name, { mantissa, exponent, format }] of usage)
    if (names.has(name)) result.set(name, { mantissa: mantissa * factor, exponent, format });
  return result;
}

/** The versions of a custom resource share their objects. */
function distinctResources(resources: readonly Resource[]): Iterable<Resource> {
  const distinct = new Map<string, Resource>();
  for (const resource of resources) {
    const { storagePrefix, scope, verbs } = resource;
    const isStored = storagePrefix !== '' && verbs.create && verbs.delete;
    if (scope === 'Namespaced' && isStored && !distinct.has(storagePrefix)) distinct.set(storagePrefix, resource);
  }
  return distinct.values();
}
