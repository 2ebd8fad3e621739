import { type CacheEntry, decodeObject, nameOfKey, type ObjectCache, type Resource } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { KeyExists, Mismatch, Unavailable } from '@tsukube/storage';
import { typedObject } from '../schema/schema-types.ts';
import { asStoredList, EntryEncoder } from './entries.ts';
import { type NewObject, ObjectChanged, ObjectExists, type ObjectStorage, type StorageCall } from './object-storage.ts';

type Fields = Record<string, unknown>;

/** The objects of a storage for one request, as registries and handlers use them. Reads and writes are calls of the storage. */
export class StorageCache implements ObjectCache {
  readonly isUncached = true;
  readonly prefix: string;
  readonly current = 0;
  readonly size = 0;
  readonly bytes = 0;
  readonly isClosed = false;
  readonly hasCorruption = false;
  readonly #resource: Resource;
  readonly #storage: ObjectStorage<Fields>;
  readonly #encoder: EntryEncoder;
  readonly #call: StorageCall;
  /** The objects that this request has read. */
  readonly #known = new Map<string, CacheEntry>();

  constructor(resource: Resource, storage: ObjectStorage<Fields>, call: StorageCall) {
    this.prefix = `${resource.storagePrefix}/`;
    this.#resource = resource;
    this.#storage = storage;
    this.#encoder = new EntryEncoder(resource, storage);
    this.#call = call;
  }

  async get(key: string): Promise<CacheEntry | undefined> {
    const place = this.#place(key);
    const object = await this.#storage.get({ ...this.#call, ...place });
    const entry = object && this.#encoder.entry(object, place);
    if (entry) this.#known.set(key, entry);
    return entry;
  }

  lookup(key: string): Promise<CacheEntry | undefined> {
    return this.get(key);
  }

  read(key: string): Promise<CacheEntry | undefined> {
    return this.get(key);
  }

  async list(prefix: string, { from = '' }: { readonly from?: string } = {}) {
    const namespace = prefix.slice(this.prefix.length, -1) || undefined;
    if (!this.#storage.list) throw this.#unsupported('list');
    const list = asStoredList(await this.#storage.list({ ...this.#call, namespace }));
    const all = await this.#encoder.entries(list, namespace);
    const entries = from === '' ? all : all.filter(({ key }) => key >= from);
    return { entries, revision: this.#encoder.revisionOf(list, all), more: false, count: entries.length };
  }

  async create(key: string, value: Uint8Array): Promise<CacheEntry> {
    if (!this.#storage.create) throw this.#unsupported('create');
    const object = typedObject<NewObject<Fields>>(decodeObject(value));
    if (await this.get(key)) throw new KeyExists(key);
    try {
      return await this.#written(key, await this.#storage.create(object, this.#call));
    } catch (error) {
      throw error instanceof ObjectExists ? new KeyExists(key) : error;
    }
  }

  async update(key: string, value: Uint8Array, expected: number): Promise<CacheEntry> {
    if (!this.#storage.update) throw this.#unsupported('update');
    const known = this.#known.get(key);
    const found = known?.revision === expected ? known : await this.get(key);
    if (found?.revision !== expected) throw new Mismatch(key, found);
    const object = typedObject<NewObject<Fields>>(decodeObject(value));
    const old = typedObject<NewObject<Fields>>(decodeObject(found.value));
    if (old.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = old.metadata.resourceVersion;
    return this.#changing(key, async () => this.#written(key, await this.#storage.update?.(object, { ...this.#call, old })));
  }

  async delete(key: string, expected: number): Promise<number> {
    const call = { ...this.#call, ...this.#place(key), resourceVersion: String(expected) };
    if (!this.#storage.delete) throw this.#unsupported('delete');
    await this.#changing(key, async () => this.#storage.delete?.(call));
    return expected;
  }

  async #changing<T>(key: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      throw error instanceof ObjectChanged ? new Mismatch(key, await this.get(key)) : error;
    }
  }

  async #written(key: string, returned: Awaited<ReturnType<NonNullable<ObjectStorage<Fields>['create']>>>): Promise<CacheEntry> {
    const entry = returned ? this.#encoder.entry(returned, this.#place(key)) : await this.get(key);
    if (!entry) throw new Error(`the storage of ${this.#resource.names.plural} does not have ${key} after writing it`);
    return entry;
  }

  #place(key: string): { readonly namespace: string | undefined; readonly name: string } {
    const { namespace, name } = nameOfKey(this.#resource, key);
    return { namespace: namespace === '' ? undefined : namespace, name };
  }

  #unsupported(verb: string): StatusError {
    return StatusError.methodNotSupported({ group: this.#resource.hub.group, resource: this.#resource.names.plural }, verb);
  }

  holds(): true {
    return true;
  }

  async ping(): Promise<void> {}
  async close(): Promise<void> {}

  fresh(): Promise<boolean> {
    return Promise.resolve(false);
  }
  freshAt(): Promise<boolean> {
    return Promise.resolve(false);
  }
  loaded(): undefined {
    return undefined;
  }
  peek(): never {
    throw notInMemory();
  }
  slice(): never {
    throw notInMemory();
  }
  range(): never {
    throw notInMemory();
  }
  count(): never {
    throw notInMemory();
  }
  past(): undefined {
    return undefined;
  }
  follow(): never {
    throw notInMemory();
  }
  eventsAfter(): undefined {
    return undefined;
  }
  replay(): never {
    throw notInMemory();
  }
}

function notInMemory(): Unavailable {
  return new Unavailable('the objects of this resource are not kept in memory', { unwritten: true });
}
