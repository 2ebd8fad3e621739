import { decodeObject } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { type Change, CorruptEntry, type Entry, type Store } from '@tsukube/storage';
import type { Definition } from '../definition/definition.ts';
import type { ConvertChanges } from './converted-feed.ts';
import type { VersionConverter } from './converter.ts';
import type { ObjectReader } from './object-reader.ts';

export interface EntryConversion {
  /** Converts stored entries to the served version. */
  entries(entries: readonly Entry[]): Promise<readonly Entry[]>;
  changes(changes: readonly Change[]): Promise<readonly Change[]>;
  /** Like `changes`, without the previous states. */
  readonly changesOnly: ConvertChanges;
  /** Converts from the served version to the storage version. */
  stored(value: Uint8Array): Promise<Uint8Array> | Uint8Array;
}

export interface EntryConversionParts {
  readonly definition: Definition;
  readonly version: string;
  readonly reader: ObjectReader;
  readonly converter: VersionConverter;
}

export function entryConversion({ definition, version, reader, converter }: EntryConversionParts): EntryConversion {
  const { storageVersion } = definition;
  const convert = async (objects: readonly JsonObject[], to: string): Promise<readonly JsonObject[]> => {
    const converted = await converter.convert(objects, to);
    return converted.map((object, i) => (object === objects[i] ? object : reader.normalize(object)));
  };
  const convertEntries = async (entries: readonly Entry[]): Promise<readonly Entry[]> => {
    const sound = entries.filter((entry) => !(entry instanceof CorruptEntry));
    const objects = await convert(
      sound.map(({ value }) => reader.read(value)),
      version,
    );
    const next = objects.values();
    return entries.map((entry) =>
      entry instanceof CorruptEntry ? entry : { ...entry, value: reader.write(next.next().value as JsonObject) },
    );
  };
  return {
    entries: convertEntries,
    async changes(changes) {
      const entries = changes.flatMap(({ entry, previous }) => (previous ? [entry, previous] : [entry]));
      return changesOf(changes, await convertEntries(entries));
    },
    async changesOnly(changes) {
      const entries = await convertEntries(changes.map(({ entry }) => entry));
      return changes.map(({ type }, i) => ({ type, entry: entries[i] as Entry, previous: undefined }));
    },
    async stored(value) {
      if (version === storageVersion) return value;
      const [object] = await convert([decodeObject(value)], storageVersion);
      return reader.write(object as JsonObject);
    },
  };
}

function changesOf(changes: readonly Change[], entries: readonly Entry[]): readonly Change[] {
  let next = 0;
  return changes.map((change) => {
    const entry = entries[next++] as Entry;
    return { ...change, entry, previous: change.previous && entries[next++] };
  });
}

export function convertingStore(store: Store, conversion: EntryConversion): Store {
  const one = async (entry: Entry): Promise<Entry> => (await conversion.entries([entry]))[0] as Entry;
  return storeWith(store, {
    async get(key) {
      const entry = await store.get(key);
      return entry && one(entry);
    },
    async list(prefix, options) {
      const page = await store.list(prefix, options);
      return { ...page, entries: await conversion.entries(page.entries) };
    },
    create: async (key, value, options) => one(await store.create(key, await conversion.stored(value), options)),
    update: async (key, value, expected, options) =>
      one(await store.update(key, await conversion.stored(value), expected, options)),
    async *watch(prefix, from, signal) {
      for await (const batch of store.watch(prefix, from, signal)) {
        yield { ...batch, changes: await conversion.changes(batch.changes) };
      }
    },
  });
}

/** Conversion strategy None: sets the apiVersion of the storage version and prunes to its schema. */
export function renameForStorage({ group, storageVersion }: Definition, reader: ObjectReader): (value: Uint8Array) => Uint8Array {
  return (value) => {
    const object = decodeObject(value);
    object.apiVersion = `${group}/${storageVersion}`;
    return reader.write(reader.normalize(object));
  };
}

export function renamingStore(store: Store, rename: (value: Uint8Array) => Uint8Array): Store {
  return storeWith(store, {
    create: (key, value, options) => store.create(key, rename(value), options),
    update: (key, value, expected, options) => store.update(key, rename(value), expected, options),
  });
}

/** A store with some methods replaced. */
function storeWith(store: Store, other: Partial<Store>): Store {
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
