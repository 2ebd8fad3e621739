import { decodeObject } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';
import type { ObjectReader } from './object-reader.ts';

/** Gives an object the name and form of the storage version, where conversion changes nothing else. */
export function renameForStorage({ group, storageVersion }: Definition, reader: ObjectReader): (value: Uint8Array) => Uint8Array {
  return (value) => {
    const object = decodeObject(value);
    object.apiVersion = `${group}/${storageVersion}`;
    return reader.write(reader.settle(object));
  };
}

export function renamingStore(store: Store, rename: (value: Uint8Array) => Uint8Array): Store {
  return storeWith(store, {
    create: (key, value, options) => store.create(key, rename(value), options),
    update: (key, value, expected, options) => store.update(key, rename(value), expected, options),
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
    delete: (key, expected, options) => store.delete(key, expected, options),
    cancelledUnderWay: () => store.cancelledUnderWay(),
    watch: (prefix, from, signal) => store.watch(prefix, from, signal),
    compact: (revision) => store.compact(revision),
    ping: () => store.ping(),
    ...(store.corruption && { corruption: store.corruption.bind(store) }),
    close: () => Promise.resolve(),
    ...(store.isStale && { isStale: store.isStale.bind(store) }),
    ...other,
  };
}
