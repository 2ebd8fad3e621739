import type { OwnerReference } from '@tsukube/machinery';

/** An object with owner references. */
export interface Dependent {
  readonly key: string;
  readonly owners: readonly OwnerReference[];
  /** The object is being deleted in the foreground and waits for its own dependents. */
  readonly waits: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Owner references by dependent and by owner uid. Objects without owners are not stored, which keeps it small. */
export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>();
  readonly #keysByOwner = new Map<string, Set<string>>();

  get size(): number {
    return this.#dependents.size;
  }

  get(key: string): Dependent | undefined {
    return this.#dependents.get(key);
  }

  keys(): Iterable<string> {
    return this.#dependents.keys();
  }

  /** Keys of the objects that name this uid as an owner. */
  dependentsOf(uid: string): ReadonlySet<string> {
    return this.#keysByOwner.get(uid) ?? none;
  }

  /** The dependents with blockOwnerDeletion. */
  *blocking(uid: string): Generator<Dependent> {
    for (const key of this.dependentsOf(uid)) {
      const dependent = this.#dependents.get(key);
      if (dependent?.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)) yield dependent;
    }
  }

  set(dependent: Dependent): void {
    this.remove(dependent.key);
    if (dependent.owners.length === 0) return;
    this.#dependents.set(dependent.key, dependent);
    for (const { uid } of dependent.owners) {
      const keys = this.#keysByOwner.get(uid);
      if (keys) keys.add(dependent.key);
      else this.#keysByOwner.set(uid, new Set([dependent.key]));
    }
  }

  clear(): void {
    this.#dependents.clear();
    this.#keysByOwner.clear();
  }

  remove(key: string): void {
    const dependent = this.#dependents.get(key);
    if (!dependent) return;
    this.#dependents.delete(key);
    for (const { uid } of dependent.owners) {
      const keys = this.#keysByOwner.get(uid);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByOwner.delete(uid);
    }
  }
}
