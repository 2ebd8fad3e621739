import { type ApiObject, keyOf } from '../rest/api-object.ts';

/** The values of an object under which an index finds it. */
export type Indexer<T> = (object: T) => readonly string[];

/** Objects in memory by their keys (`namespace/name`) and by indexes. Do not change the objects: they are shared. */
export interface ReadonlyStore<T extends ApiObject> {
  readonly size: number;
  /** Everything up to this resourceVersion is included. Empty before the first list. */
  readonly resourceVersion: string;
  get(key: string): T | undefined;
  list(): T[];
  values(): IterableIterator<T>;
  /** Objects for which the indexer returned the value. Throws RangeError if there is no such index. */
  byIndex(index: string, value: string): T[];
}

export class ObjectStore<T extends ApiObject> implements ReadonlyStore<T> {
  #objects: Map<string, T> = new Map();
  readonly #indexes = new Map<string, Index<T>>();
  resourceVersion = '';

  constructor(indexers: Readonly<Record<string, Indexer<T>>> = {}) {
    for (const [name, indexer] of Object.entries(indexers)) this.addIndex(name, indexer);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  byIndex(index: string, value: string): T[] {
    const found = this.#indexes.get(index);
    if (found === undefined) throw new RangeError(`there is no index "${index}"`);
    return [...found.keys(value)].map((key) => this.#objects.get(key) as T);
  }

  /** Objects in the store are indexed, too. An index of the same name is replaced. */
  addIndex(name: string, indexer: Indexer<T>): void {
    const index = new Index(indexer);
    index.rebuild(this.#objects);
    this.#indexes.set(name, index);
  }

  /** Returns the object that was there before. */
  set(object: T): T | undefined {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    for (const index of this.#indexes.values()) {
      if (old !== undefined) index.remove(key, old);
      index.add(key, object);
    }
    this.#objects.set(key, object);
    return old;
  }

  /** Takes all objects, by their keys, in place of those before. Returns the latter. */
  replace(objects: Map<string, T>): ReadonlyMap<string, T> {
    const before = this.#objects;
    this.#objects = objects;
    for (const index of this.#indexes.values()) index.rebuild(objects);
    return before;
  }

  /** Returns the removed object. */
  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    for (const index of this.#indexes.values()) index.remove(key, old);
    this.#objects.delete(key);
    return old;
  }

  keys(): IterableIterator<string> {
    return this.#objects.keys();
  }
}

/** Keys of objects by a value. */
class Index<T> {
  readonly #indexer: Indexer<T>;
  readonly #keys = new Map<string, Set<string>>();

  constructor(indexer: Indexer<T>) {
    this.#indexer = indexer;
  }

  keys(value: string): Iterable<string> {
    return this.#keys.get(value) ?? [];
  }

  rebuild(objects: ReadonlyMap<string, T>): void {
    this.#keys.clear();
    for (const [key, object] of objects) this.add(key, object);
  }

  add(key: string, object: T): void {
    for (const value of this.#indexer(object)) {
      const keys = this.#keys.get(value);
      if (keys) keys.add(key);
      else this.#keys.set(value, new Set([key]));
    }
  }

  remove(key: string, object: T): void {
    for (const value of this.#indexer(object)) {
      const keys = this.#keys.get(value);
      if (keys?.delete(key) && keys.size === 0) this.#keys.delete(value);
    }
  }
}
