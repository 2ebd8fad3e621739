import {
  anonymousUser,
  decodeObject,
  encodeStored,
  type Feed,
  forgetEncodings,
  type Logger,
  openFeed,
  type Resource,
  WatchCache,
  withResourceVersion,
} from '@tsukube/apiserver';
import { type Batch, Compacted, type Entry, type Page, type Store, Unavailable } from '@tsukube/storage';
import { asStoredList, EntryEncoder } from './entries.ts';
import { type ObjectStorage, type StorageEvent, VersionExpired } from './object-storage.ts';

type Fields = Record<string, unknown>;
type Watch = NonNullable<ObjectStorage<Fields>['watch']>;

/** A watch cache over a storage that reports its changes. All watches of clients are served from it. */
export interface StorageWatch {
  readonly cache: WatchCache;
  close(): void;
}

/** Opens the one watch of the storage. */
export async function openStorageWatch(
  resource: Resource,
  storage: ObjectStorage<Fields> & { readonly watch: Watch },
  logger: Pick<Logger, 'warn'>,
): Promise<StorageWatch> {
  const store = watchedStore(resource, storage);
  const onError = (error: unknown) =>
    logger.warn('the watch of a storage failed', { resource: resource.names.plural, error: String(error) });
  const feed: Feed = await openFeed(store, `${resource.storagePrefix}/`, onError);
  const cache = new WatchCache(store, feed, {
    prefix: `${resource.storagePrefix}/`,
    present: withResourceVersion,
    onEvict: forgetEncodings,
  });
  return {
    cache,
    close() {
      feed.close();
      void cache.close();
    },
  };
}

/** The part of a Store that watches need. Nothing is written through it. */
function watchedStore(resource: Resource, storage: ObjectStorage<Fields> & { readonly watch: Watch }): Store {
  const encoder = new EntryEncoder(resource, storage);
  let newest: number | undefined;
  const seen = (revision: number) => {
    newest = Math.max(newest ?? 0, revision);
  };
  const list = async (): Promise<Page> => {
    const listed = asStoredList((await storage.list?.({ user: anonymousUser, signal: never, namespace: undefined })) ?? []);
    const entries = await encoder.entries(listed, undefined);
    const revision = encoder.revisionOf(listed, entries);
    seen(revision);
    return { entries: entries.map(storedEntry), revision, more: false, count: entries.length };
  };
  return {
    // Watches may lag behind the storage, as those of clients do: no read waits for this revision.
    revision: async () => newest ?? (await list()).revision,
    list,
    get: () => Promise.resolve(undefined),
    async *watch(_prefix, from, signal): AsyncGenerator<Batch, void, undefined> {
      let last = from - 1;
      try {
        for await (const event of storage.watch({ resourceVersion: String(last), signal })) {
          const batch = batchOf(event, encoder);
          if (batch.revision <= last)
            throw new Error(`its events are out of order: resourceVersion ${batch.revision} came after ${last}`);
          last = batch.revision;
          seen(last);
          yield batch;
        }
      } catch (error) {
        throw error instanceof VersionExpired ? new Compacted(from) : error;
      }
    },
    create: readOnly,
    update: readOnly,
    delete: readOnly,
    cancelledUnderWay: () => undefined,
    compact: async () => {},
    ping: async () => {},
    close: async () => {},
  };
}

const never = new AbortController().signal;

function readOnly(): Promise<never> {
  return Promise.reject(new Unavailable('this store is only watched', { unwritten: true }));
}

function batchOf({ type, object }: StorageEvent<Fields>, encoder: EntryEncoder): Batch {
  const entry = storedEntry(encoder.entry(object, {}));
  return { changes: [{ type: type === 'DELETED' ? 'delete' : 'put', entry, previous: undefined }], revision: entry.revision };
}

/** The watch cache adds the resourceVersion. */
function storedEntry({ key, value, revision, created }: Entry): Entry {
  return { key, value: encodeStored(decodeObject(value)), revision, created };
}
