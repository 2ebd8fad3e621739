import { createHash } from 'node:crypto';
import { type CacheEntry, encodeObject, type Resource } from '@tsukube/apiserver';
import { apiVersionOf, isValidPathSegmentName, type JsonObject } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';
import type { ObjectStorage, StoredList, StoredObject } from './object-storage.ts';

type Fields = Record<string, unknown>;

/** Where an object is expected: by name, in a namespace, or anywhere. */
export interface ObjectLocation {
  readonly namespace?: string | undefined;
  readonly name?: string;
}

/** Objects of a storage consist of JSON values, which their type does not say. */
function encodedText(object: object): ReturnType<typeof encodeObject> {
  return encodeObject(object as JsonObject);
}

/** Turns the objects of a storage into entries, as the handlers of the API server read them. */
export class EntryEncoder {
  readonly #resource: Resource;
  readonly #isWritable: boolean;
  readonly #isWatched: boolean;

  constructor(resource: Resource, storage: ObjectStorage<Fields>) {
    this.#resource = resource;
    this.#isWritable = Boolean(storage.update ?? storage.delete);
    this.#isWatched = storage.watch !== undefined;
  }

  /** Throws if the storage returned an object that cannot be served. */
  entry(object: StoredObject<Fields>, place: ObjectLocation): CacheEntry {
    const { hub, names, storagePrefix, scope } = this.#resource;
    const { metadata, apiVersion: _, kind: __, ...fields } = object;
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata))
      throw new Error(`the storage of ${names.plural} returned an object without metadata`);
    const isNamespaced = scope === 'Namespaced';
    const namespace = isNamespaced ? (metadata.namespace ?? place.namespace) : undefined;
    const name = metadata.name ?? place.name;
    this.#check(name, namespace, place);
    const given = { ...metadata, name, ...(isNamespaced && { namespace }) };
    const complete = { kind: names.kind, apiVersion: apiVersionOf(hub), metadata: given, ...fields };
    const key = `${storagePrefix}/${isNamespaced ? `${namespace}/` : ''}${name}`;
    return { key, ...this.#versioned(complete, given), created: 0, derived: undefined };
  }

  #check(name: string | undefined, namespace: string | undefined, place: ObjectLocation): void {
    const { names, scope } = this.#resource;
    const problem = `the storage of ${names.plural} returned`;
    if (!name || isValidPathSegmentName(name).length > 0)
      throw new Error(`${problem} an object with the name ${JSON.stringify(name)}`);
    if (scope === 'Namespaced' && !namespace) throw new Error(`${problem} ${name} without a namespace`);
    if (place.name !== undefined && (place.name !== name || place.namespace !== namespace))
      throw new Error(`${problem} ${namespace ?? ''}/${name} for ${place.namespace ?? ''}/${place.name}`);
  }

  /** The encoded object and its version, computed from the content if a writable storage has none. */
  #versioned(
    object: object,
    metadata: { readonly resourceVersion?: string | undefined },
  ): Pick<CacheEntry, 'value' | 'revision'> {
    const { resourceVersion } = metadata;
    if (resourceVersion === undefined && this.#isWatched)
      throw new Error(
        `the storage of ${this.#resource.names.plural} has a watch, but returned an object without a resourceVersion`,
      );
    if (resourceVersion !== undefined)
      return { value: Buffer.from(encodedText(object)), revision: revisionOf(resourceVersion, this.#resource) };
    const text = encodedText(object);
    if (!this.#isWritable) return { value: Buffer.from(text), revision: 0 };
    const revision = contentVersion(text);
    const versioned = { ...object, metadata: { ...metadata, resourceVersion: String(revision) } };
    return { value: Buffer.from(encodedText(versioned)), revision };
  }

  /** All objects of a list in the order of their keys, encoded in time slices. */
  async entries(list: StoredList<Fields>, namespace: string | undefined): Promise<CacheEntry[]> {
    const found: CacheEntry[] = [];
    const slice = new TimeSlice();
    const isElsewhere = (object: StoredObject<Fields>) =>
      namespace !== undefined && (object.metadata?.namespace ?? namespace) !== namespace;
    for await (const object of inTurns(list.items, slice))
      if (!isElsewhere(object)) found.push(this.entry(object, { namespace }));
    return sortedByKey(found, slice);
  }

  /** The version of a list: the one given, or that of the newest object if the storage has versions. 0 if there is none. */
  revisionOf({ resourceVersion }: StoredList<Fields>, entries: readonly CacheEntry[]): number {
    if (resourceVersion !== undefined) return revisionOf(resourceVersion, this.#resource);
    let newest = 0;
    if (this.#isWatched) for (const { revision } of entries) if (revision > newest) newest = revision;
    return newest;
  }
}

/** A `for await` of a synchronous iterable never leaves the microtask queue, so time slices are needed for both kinds. */
async function* inTurns<T>(items: Iterable<T> | AsyncIterable<T>, slice: TimeSlice): AsyncGenerator<T, void, undefined> {
  for await (const item of items) {
    yield item;
    if (slice.over) await slice.rest();
  }
}

/** Merge sort in time slices: sorting 100,000 entries at once would block the event loop. */
async function sortedByKey(entries: CacheEntry[], slice: TimeSlice): Promise<CacheEntry[]> {
  const runLength = 2000;
  let runs: CacheEntry[][] = [];
  for (let from = 0; from < entries.length; from += runLength) {
    runs.push(entries.slice(from, from + runLength).sort(byKey));
    if (slice.over) await slice.rest();
  }
  while (runs.length > 1) {
    const merged: CacheEntry[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await mergedRuns(runs[i] as CacheEntry[], runs[i + 1] ?? [], slice));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns(left: readonly CacheEntry[], right: readonly CacheEntry[], slice: TimeSlice): Promise<CacheEntry[]> {
  const merged: CacheEntry[] = [];
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    if (a !== undefined && (b === undefined || byKey(a, b) <= 0)) merged.push(left[i++] as CacheEntry);
    else merged.push(right[j++] as CacheEntry);
    if (merged.length % 1000 === 0 && slice.over) await slice.rest();
  }
  return merged;
}

function byKey(a: CacheEntry, b: CacheEntry): number {
  return a.key < b.key ? -1 : Number(a.key > b.key);
}

/** Throws if the version is not a number that the API server can compare. */
function revisionOf(resourceVersion: string, { names }: Resource): number {
  const revision = /^\d{1,16}$/.test(resourceVersion) ? Number(resourceVersion) : Number.NaN;
  if (Number.isSafeInteger(revision) && revision > 0) return revision;
  throw new Error(
    `the storage of ${names.plural} returned the resourceVersion ${JSON.stringify(resourceVersion)}, which is not a decimal number from 1 to 2^53-1`,
  );
}

/** 52 bits of a digest: equal for equal content, on every replica. */
function contentVersion(text: string): number {
  const bytes = createHash('sha256').update(text).digest();
  return 1 + bytes.readUIntBE(0, 6) * 16 + (bytes.readUInt8(6) >> 4);
}

/** Whether a list is given with its version. */
export function asStoredList(
  list: StoredList<Fields> | Iterable<StoredObject<Fields>> | AsyncIterable<StoredObject<Fields>>,
): StoredList<Fields> {
  return Symbol.iterator in list || Symbol.asyncIterator in list ? { items: list } : list;
}
