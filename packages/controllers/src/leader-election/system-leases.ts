import { type CacheEntry, decodeObject, deleteObject, type ObjectRegistry, updateExisting } from '@tsukube/apiserver';
import { type HeldLease, type JsonObject, LeaseAge, numberIn, objectIn, StatusError, textIn } from '@tsukube/machinery';
import { type ControllerContext, registryNamed, writeAs } from '../controller.ts';

const namespace = 'kube-system';

/** A Lease as this server has last seen it. */
export interface SeenLease {
  readonly name: string;
  /** Empty if nobody holds it, also if it is being deleted. */
  readonly holder: string;
  readonly isTerminating: boolean;
  readonly durationMs: number;
  readonly spec: HeldLease;
  readonly revision: number;
  /** Time since this server saw it change. */
  readonly ageMs: number;
}

/**
 * The Leases in kube-system by which servers on one store share the controllers. Reads are from memory and may be old; writes are
 * compare-and-swap on what was read.
 */
export class SystemLeases {
  readonly #registry: ObjectRegistry;
  readonly #prefix: string;
  readonly #monotonic: () => number;
  #seen = new Map<string, { readonly lease: Omit<SeenLease, 'ageMs'>; readonly age: LeaseAge }>();

  /** Reads the Leases whose names start with `namePrefix`. */
  constructor(context: ControllerContext, namePrefix: string, monotonic: () => number) {
    this.#registry = registryNamed(context, 'leases');
    this.#prefix = this.#registry.key(namespace, namePrefix);
    this.#monotonic = monotonic;
  }

  /** Resolves when the leases can be read. */
  async load(): Promise<void> {
    const { cache } = this.#registry;
    for (let loading = cache.loaded(); loading; loading = cache.loaded()) await loading;
  }

  /** By their names. Throws if the cache was emptied since `load`, by a gap in the store's changes. */
  all(): ReadonlyMap<string, SeenLease> {
    const loading = this.#registry.cache.loaded();
    if (loading) {
      loading.catch(() => {});
      throw new Error('the leases are not loaded');
    }
    const before = this.#seen;
    this.#seen = new Map();
    const all = new Map<string, SeenLease>();
    for (const entry of this.#registry.cache.slice(this.#prefix)) {
      const name = entry.key.slice(this.#registry.prefix(namespace).length);
      const known = before.get(name);
      const lease = known?.lease.revision === entry.revision ? known.lease : leaseOf(name, entry);
      const age = known?.age ?? new LeaseAge(this.#monotonic);
      this.#seen.set(name, { lease, age });
      all.set(name, { ...lease, ageMs: age.of(String(entry.revision)) });
    }
    return all;
  }

  /** Whether `all` includes the write of a revision. */
  includes(revision: number): boolean {
    return this.#registry.cache.current >= revision;
  }

  /** A linearizable read. Its age is unknown and given as 0. */
  async read(name: string): Promise<SeenLease | undefined> {
    const entry = await this.#registry.cache.get(this.#registry.key(namespace, name));
    return entry && { ...leaseOf(name, entry), ageMs: 0 };
  }

  /** Writes a new lease, or one that has not changed since it was read. Returns its revision; undefined if it has changed. */
  async write(name: string, seen: { readonly revision: number } | undefined, spec: HeldLease): Promise<number | undefined> {
    const { entry } = (await unlessChanged(seen ? this.#update(name, seen.revision, spec) : this.#create(name, spec))) ?? {};
    return entry?.revision;
  }

  /** Deletes a lease that has not changed since it was read. Resolves to whether it did. */
  async remove({ name, revision }: Pick<SeenLease, 'name' | 'revision'>): Promise<boolean> {
    const preconditions = { resourceVersion: String(revision) };
    const deleted = await unlessChanged(deleteObject(this.#registry, name, { preconditions }, this.#writing()));
    return deleted !== undefined;
  }

  #create(name: string, spec: HeldLease): Promise<{ readonly entry: CacheEntry }> {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace }, spec: { ...spec } };
    return this.#registry.create(lease, this.#writing());
  }

  #update(name: string, revision: number, spec: HeldLease): Promise<{ readonly entry: CacheEntry }> {
    const change = ({ metadata, ...lease }: JsonObject): JsonObject => ({
      ...lease,
      metadata: { ...(metadata as JsonObject), resourceVersion: String(revision) },
      spec: { ...spec },
    });
    return updateExisting(this.#registry, name, undefined, change, this.#writing());
  }

  /** Not admitted: a webhook must not be able to stop the controllers. */
  #writing() {
    return { ...writeAs(this.#registry, namespace), isAdmitted: true };
  }
}

function leaseOf(name: string, { value, revision }: CacheEntry): Omit<SeenLease, 'ageMs'> {
  const object = decodeObject(value);
  const spec = objectIn(object, 'spec') ?? {};
  const isTerminating = object.metadata.deletionTimestamp !== undefined;
  const holder = isTerminating ? '' : textIn(spec, 'holderIdentity');
  const durationMs = numberIn(spec, 'leaseDurationSeconds') * 1000;
  return { name, holder, isTerminating, durationMs, spec: spec as HeldLease, revision };
}

/** Undefined if another server was first. */
async function unlessChanged<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof StatusError && (error.code === 409 || error.code === 404)) return undefined;
    throw error;
  }
}
