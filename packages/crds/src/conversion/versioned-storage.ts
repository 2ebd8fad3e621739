import { type Feed, type Present, withResourceVersion } from '@tsukube/apiserver';
import type { CompiledSchema, JsonObject } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';
import { convertedFeed } from './converted-feed.ts';
import type { VersionConverter } from './converter.ts';
import { convertingStore, type EntryConversion, entryConversion } from './converting-store.ts';
import { type ObjectReader, objectReader } from './object-reader.ts';
import { renamingStore } from './renaming-store.ts';

export interface VersionedStorageParts {
  readonly definition: Definition;
  /** The version in which objects are wanted. */
  readonly version: string;
  readonly schemaOf: (version: string) => CompiledSchema;
  readonly store: Store;
  readonly feed: Feed;
  /** Absent where versions differ in nothing but their names. */
  readonly converter: VersionConverter | undefined;
  readonly onError: (error: unknown) => void;
}

/** The objects of a definition as if they were stored in one of its versions. */
export interface VersionedStorage {
  readonly store: Store;
  readonly feed: Feed;
  readonly present: Present;
}

export function versionedStorage(parts: VersionedStorageParts): VersionedStorage {
  const { definition, version, store, feed, converter } = parts;
  if (isAsWritten(definition)) return { store, feed, present: withResourceVersion };
  const reader = objectReader(definition, parts.schemaOf);
  if (converter && definition.versions.length > 1)
    return converted(entryConversion({ definition, version, reader, converter }), parts);
  const present: Present = (value, revision, allocate) =>
    withResourceVersion(read(value, definition.group, version, reader), revision, allocate);
  if (version === definition.storageVersion) return { store, feed, present };
  return { store: renamingStore(store, definition, reader), feed, present };
}

/** A definition that has one version and never changed: everything that is stored went through its schema. */
function isAsWritten({ generation, versions }: Definition): boolean {
  return generation === 1 && versions.length === 1;
}

/** Versions that differ in their names only. */
function read(value: Uint8Array, group: string, version: string, reader: ObjectReader): Uint8Array {
  const object = reader.read(value);
  const apiVersion = `${group}/${version}`;
  return reader.write(object.apiVersion === apiVersion ? object : reader.settle(renamed(object, apiVersion)));
}

function renamed(object: JsonObject, apiVersion: string): JsonObject {
  object.apiVersion = apiVersion;
  return object;
}

function converted(conversion: EntryConversion, { store, feed, onError }: VersionedStorageParts): VersionedStorage {
  return {
    store: convertingStore(store, conversion),
    feed: convertedFeed(feed, conversion.news, onError),
    present: withResourceVersion,
  };
}
