import { decodeObject } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';
import type { ObjectReader } from './object-reader.ts';

/** Writes objects in the version that is stored, to which nothing but the name leads. */
export function renamingStore(store: Store, { group, storageVersion }: Definition, reader: ObjectReader): Store {
  const stored = (value: Uint8Array): Uint8Array => {
    const object = decodeObject(value);
    object.apiVersion = `${group}/${storageVersion}`;
    return reader.write(reader.settle(object));
  };
  return storeWith(store, {
    create: (key, value, options) => store.create(key, stored(value), options),
    update: (key, value, expected, options) => store.update(key, stored(value), expected, options),
  });
}

/** A store that does some things in another way. */
export function storeWith(store: Store, other: Partial<Store>): Store {
  return {
    revision: () => store.revision(),
    get: (key) => store.get(key),
    list: (prefix, options) => store.list(prefix, options),
    create: (key, value, options) => store.create(key, value, options),
    update: (key, value, expected, options) => store.update(key, value, expected, options),
    delete: (key, expected) => store.delete(key, expected),
    watch: (prefix, from, signal) => store.watch(prefix, from, signal),
    compact: (revision) => store.compact(revision),
    ping: () => store.ping(),
    close: () => Promise.resolve(),
    ...other,
  };
}
