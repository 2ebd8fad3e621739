import { deepEqual, type OwnerReference } from '@tsukube/machinery';

/** An object with owner references. */
export interface Dependent {
  readonly key: string;
  readonly owners: readonly OwnerReference[];
  /** The object is being deleted in the foreground and waits for its own dependents. */
  readonly waits: boolean;
}

interface Owner {
  /** Shared by all dependents that refer to the owner in the same way, which saves memory. */
  readonly reference: OwnerReference;
  readonly keys: Set<string>;
  /** How many of them have blockOwnerDeletion. */
  blocking: number;
}

const none: ReadonlySet<string> = new Set();

/** Owner references by dependent and by owner uid. Objects without owners are not stored, which keeps it small. */
export class OwnerGraph {
  readonly #dependents = new Map<string, Dependent>();
  readonly #owners = new Map<string, Owner>();

  get size(): number {
    return this.#dependents.size;
  }

  get(key: string): Dependent | undefined {
    return this.#dependents.get(key);
  }

  /** Keys of the objects that name this uid as an owner. */
  dependentsOf(uid: string): ReadonlySet<string> {
    return this.#owners.get(uid)?.keys ?? none;
  }

  /** Whether a dependent with blockOwnerDeletion exists. */
  isBlocked(uid: string): boolean {
    return (this.#owners.get(uid)?.blocking ?? 0) > 0;
  }

  set({ key, owners, waits }: Dependent): void {
    this.remove(key);
    if (owners.length === 0) return;
    this.#dependents.set(key, { key, owners: owners.map((reference) => this.#add(key, reference)), waits });
  }

  clear(): void {
    this.#dependents.clear();
    this.#owners.clear();
  }

  remove(key: string): void {
    const dependent = this.#dependents.get(key);
    if (!dependent) return;
    this.#dependents.delete(key);
    for (const reference of dependent.owners) this.#remove(key, reference);
  }

  #add(key: string, reference: OwnerReference): OwnerReference {
    const owner = this.#owners.get(reference.uid) ?? { reference, keys: new Set(), blocking: 0 };
    this.#owners.set(owner.reference.uid, owner);
    owner.keys.add(key);
    if (reference.blockOwnerDeletion === true) owner.blocking++;
    return deepEqual(owner.reference, reference) ? owner.reference : reference;
  }

  #remove(key: string, { uid, blockOwnerDeletion }: OwnerReference): void {
    const owner = this.#owners.get(uid);
    if (!owner) return;
    owner.keys.delete(key);
    if (blockOwnerDeletion === true) owner.blocking--;
    if (owner.keys.size === 0) this.#owners.delete(uid);
  }
}
