import { decodeObject, type Feed, type Present, withResourceVersion } from '@tsukube/apiserver';
import { type CompiledSchema, deepEqual, type JsonObject } from '@tsukube/machinery';
import type { Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';
import { convertedFeed } from './converted-feed.ts';
import type { VersionConverter } from './converter.ts';
import { convertingStore, type EntryConversion, entryConversion, renameForStorage, renamingStore } from './converting-store.ts';
import { type ObjectReader, objectReader } from './object-reader.ts';

export interface VersionedStorageParts {
  readonly definition: Definition;
  /** The served version. */
  readonly version: string;
  readonly schemaOf: (version: string) => CompiledSchema;
  readonly store: Store;
  readonly feed: Feed;
  /** Undefined for conversion strategy None. */
  readonly converter: VersionConverter | undefined;
  readonly onError: (error: unknown) => void;
}

/** The objects of a definition, presented as if they were stored in the served version. */
export interface VersionedStorage {
  readonly store: Store;
  readonly feed: Feed;
  readonly present: Present;
  /** Whether the stored bytes equal what a write of this object would store. Absent where reading changes nothing. */
  readonly holds?: (key: string, value: Uint8Array) => Promise<boolean>;
}

export function versionedStorage(parts: VersionedStorageParts): VersionedStorage {
  const { definition, version, store, feed, converter } = parts;
  if (isAsWritten(definition)) return { store, feed, present: withResourceVersion };
  const reader = objectReader(definition, parts.schemaOf);
  if (converter && definition.versions.length > 1)
    return converted(entryConversion({ definition, version, reader, converter }), parts);
  const present: Present = (value, revision, allocate) =>
    withResourceVersion(read(value, definition.group, version, reader), revision, allocate);
  if (version === definition.storageVersion) return { store, feed, present, holds: holdsAs(store, asIs) };
  const rename = renameForStorage(definition, reader);
  return { store: renamingStore(store, rename), feed, present, holds: holdsAs(store, rename) };
}

/**
 * A definition with one version that never changed: all stored objects match its schema. Only a default of the status is
 * applied on read, as creation drops the status after defaulting.
 */
function isAsWritten({ generation, versions }: Definition): boolean {
  return generation === 1 && versions.length === 1 && !versions[0]?.defaultsStatus;
}

const asIs = (value: Uint8Array): Uint8Array => value;

/**
 * Kubernetes compares an update with the stored bytes, not with the decoded object. So the first update after a change of the
 * storage version or of defaults is written even if it changes nothing; storage migration relies on it.
 */
function holdsAs(
  store: Store,
  toStored: (value: Uint8Array) => Uint8Array | Promise<Uint8Array>,
): (key: string, value: Uint8Array) => Promise<boolean> {
  return async (key, value) => {
    const [found, written] = [await store.get(key), await toStored(value)];
    return found !== undefined && deepEqual(decodeObject(found.value), decodeObject(written));
  };
}

/** Conversion strategy None: only the apiVersion changes. */
function read(value: Uint8Array, group: string, version: string, reader: ObjectReader): Uint8Array {
  const object = reader.read(value);
  const apiVersion = `${group}/${version}`;
  return reader.write(object.apiVersion === apiVersion ? object : reader.normalize(renamed(object, apiVersion)));
}

function renamed(object: JsonObject, apiVersion: string): JsonObject {
  object.apiVersion = apiVersion;
  return object;
}

function converted(conversion: EntryConversion, { store, feed, onError }: VersionedStorageParts): VersionedStorage {
  return {
    store: convertingStore(store, conversion),
    feed: convertedFeed(feed, conversion.changesOnly, onError),
    present: withResourceVersion,
    holds: holdsAs(store, conversion.stored),
  };
}
