import { decodeObject, encodeObject, type Feed, withResourceVersion } from '@tsukube/apiserver';
import { type CompiledSchema, isObject, type JsonObject } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';

export interface VersionedStorageParts {
  readonly definition: Definition;
  /** The version in which objects are wanted. */
  readonly version: string;
  readonly schemaOf: (version: string) => CompiledSchema;
  readonly store: Store;
  readonly feed: Feed;
}

/** The objects of a definition as if they were stored in one of its versions. */
export interface VersionedStorage {
  readonly store: Store;
  readonly feed: Feed;
  readonly present: (value: Uint8Array, revision: number) => Buffer;
}

export function versionedStorage(parts: VersionedStorageParts): VersionedStorage {
  const { definition, version, store, feed } = parts;
  if (isAsWritten(definition)) return { store, feed, present: withResourceVersion };
  const present = (value: Uint8Array, revision: number) => withResourceVersion(read(value, parts), revision);
  if (version === definition.storageVersion) return { store, feed, present };
  return { store: writingStorageVersion(store, parts), feed, present };
}

/** A definition that has one version and never changed: everything that is stored went through its schema. */
function isAsWritten({ generation, versions }: Definition): boolean {
  return generation === 1 && versions.length === 1;
}

/** An object that was written when the definition was another one, or in another version. */
function read(value: Uint8Array, { definition, version, schemaOf }: VersionedStorageParts): Uint8Array {
  const object = decodeObject(value);
  const stored = versionOf(object);
  schemaOf(stored).normalize(object, 'store');
  repairGeneration(object);
  if (stored !== version) convert(object, definition.group, version, schemaOf(version));
  return Buffer.from(encodeObject(object));
}

function versionOf({ apiVersion }: JsonObject): string {
  return String(apiVersion).replace(/^.*\//, '');
}

function convert(object: JsonObject, group: string, version: string, schema: CompiledSchema): void {
  object.apiVersion = `${group}/${version}`;
  schema.normalize(object, 'conversion');
}

/** Very old objects have none. */
function repairGeneration(object: JsonObject): void {
  if (isObject(object.metadata) && !object.metadata.generation) object.metadata.generation = 1;
}

function writingStorageVersion(store: Store, { definition, schemaOf }: VersionedStorageParts): Store {
  const { group, storageVersion } = definition;
  const stored = (value: Uint8Array): Uint8Array => {
    const object = decodeObject(value);
    convert(object, group, storageVersion, schemaOf(storageVersion));
    return Buffer.from(encodeObject(object));
  };
  return {
    revision: () => store.revision(),
    get: (key) => store.get(key),
    list: (prefix, options) => store.list(prefix, options),
    create: (key, value, options) => store.create(key, stored(value), options),
    update: (key, value, expected, options) => store.update(key, stored(value), expected, options),
    delete: (key, expected) => store.delete(key, expected),
    watch: (prefix, from, signal) => store.watch(prefix, from, signal),
    compact: (revision) => store.compact(revision),
    ping: () => store.ping(),
    close: () => Promise.resolve(),
  };
}
