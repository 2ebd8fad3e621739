import type { ApiObject } from '@tsukube/client';

/** Called after the store changed. Without `current` the object is gone; without `previous` it is new. */
export type ChangeListener<T> = (change: { readonly current?: T; readonly previous?: T }) => void;

/** Objects by namespace and name, with indexes, as an informer's store. */
export class Lister<T extends ApiObject> {
  readonly #namespaces = new Map<string, Map<string, T>>();
  readonly #indexes: Index<T>[] = [];
  readonly #listeners = new Set<ChangeListener<T>>();

  get(namespace: string, name: string): T | undefined {
    return this.#namespaces.get(namespace)?.get(name);
  }

  /** The objects of a namespace, or of all. */
  list(namespace?: string): T[] {
    if (namespace !== undefined) return [...(this.#namespaces.get(namespace)?.values() ?? [])];
    return [...this.#namespaces.values()].flatMap((objects) => [...objects.values()]);
  }

  /** Returns a lookup of objects by a key; undefined is not indexed. */
  index(keyOf: (object: T) => string | undefined): (key: string) => T[] {
    const index = new Index(keyOf);
    for (const object of this.list()) index.add(object);
    this.#indexes.push(index);
    return (key) => index.get(key);
  }

  /** Calls back for every object now and for every change. Returns a function that ends it. */
  subscribe(listener: ChangeListener<T>): () => void {
    this.#listeners.add(listener);
    for (const current of this.list()) listener({ current });
    return () => this.#listeners.delete(listener);
  }

  put(current: T): void {
    const { namespace = '', name = '' } = current.metadata;
    const objects = getOrCreate(this.#namespaces, namespace, () => new Map<string, T>());
    const previous = objects.get(name);
    objects.set(name, current);
    for (const index of this.#indexes) {
      if (previous) index.remove(previous);
      index.add(current);
    }
    this.#tell(previous ? { current, previous } : { current });
  }

  remove(namespace: string, name: string): void {
    const objects = this.#namespaces.get(namespace);
    const previous = objects?.get(name);
    if (!objects || !previous) return;
    objects.delete(name);
    if (objects.size === 0) this.#namespaces.delete(namespace);
    for (const index of this.#indexes) index.remove(previous);
    this.#tell({ previous });
  }

  #tell(change: { readonly current?: T; readonly previous?: T }): void {
    for (const listener of this.#listeners) listener(change);
  }
}

class Index<T extends ApiObject> {
  readonly #keyOf: (object: T) => string | undefined;
  readonly #objects = new Map<string, Map<string, T>>();

  constructor(keyOf: (object: T) => string | undefined) {
    this.#keyOf = keyOf;
  }

  get(key: string): T[] {
    return [...(this.#objects.get(key)?.values() ?? [])];
  }

  add(object: T): void {
    const key = this.#keyOf(object);
    if (key === undefined) return;
    getOrCreate(this.#objects, key, () => new Map<string, T>()).set(queueKey(object), object);
  }

  remove(object: T): void {
    const key = this.#keyOf(object);
    if (key === undefined) return;
    const objects = this.#objects.get(key);
    objects?.delete(queueKey(object));
    if (objects?.size === 0) this.#objects.delete(key);
  }
}

/** `NAMESPACE/NAME`, the key of work queues. */
export function queueKey({ metadata: { namespace = '', name = '' } }: ApiObject): string {
  return `${namespace}/${name}`;
}

/** The value of a key, which is made if it is missing. */
export function getOrCreate<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
