/** How an object names one that it belongs to. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

/** An object that belongs to others. */
export interface Dependent {
  readonly key: string;
  readonly owners: readonly OwnerReference[];
  /** It is going itself, and waits until what belongs to it is gone. */
  readonly waits: boolean;
}

const none: ReadonlySet<string> = new Set();

/** Who belongs to whom. Objects that belong to nobody are not in it: that keeps it small. */
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

  /** The keys of what names this uid as an owner. */
  dependentsOf(uid: string): ReadonlySet<string> {
    return this.#keysByOwner.get(uid) ?? none;
  }

  /** Those among them that keep their owner from going. */
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
