import { join } from 'node:path';
import { type Feed, type Logger, openFeed, startCompaction } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { DefinedResource } from '../resource/define-resource.ts';
import type { StorageChoice } from './options.ts';

/** A store with its stream of changes. */
export interface FedStore {
  readonly store: Store;
  readonly feed: Feed;
}

/** The stores of a server: its own, and those that resources bring. */
export interface Stores {
  of(resource: DefinedResource): FedStore;
  readonly all: readonly FedStore[];
  /** The server's own. */
  readonly own: Store;
  /** Stops watching and compacting the stores. */
  stop(): void;
  /** Closes the store that the server has opened. */
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly storage: StorageChoice;
  readonly compactionIntervalMs: number;
  readonly logger: Logger;
}

const keyPrefix = '/registry';

export async function openStores(resources: readonly DefinedResource[], options: StoreOptions): Promise<Stores> {
  const { storage, logger } = options;
  const isGiven = typeof storage === 'object' && 'revision' in storage;
  const own = isGiven ? storage : await openStore(storage, logger);
  const fed = new Map<Store, FedStore>();
  const stops: (() => void)[] = [];
  const stop = () => {
    for (const each of stops) each();
  };
  const onError = (error: unknown) => logger.warn('watch of the store ended', { error: String(error) });
  try {
    for (const store of new Set([own, ...resources.flatMap((resource) => resource.store ?? [])])) {
      const feed = await openFeed(store, `${keyPrefix}/`, onError);
      fed.set(store, { store, feed });
      stops.push(feed.close.bind(feed), compaction(store, feed, options));
    }
  } catch (error) {
    stop();
    if (!isGiven) await own.close();
    throw error;
  }
  return {
    own,
    of: (resource) => fed.get(resource.store ?? own) as FedStore,
    all: [...fed.values()],
    stop,
    close: async () => {
      if (!isGiven) await own.close();
    },
  };
}

function compaction(store: Store, feed: Feed, { compactionIntervalMs, logger }: StoreOptions): () => void {
  const compact = async (revision: number) => {
    feed.compact(revision);
    await store.compact(revision);
  };
  return startCompaction({ revision: () => store.revision(), compact }, compactionIntervalMs, logger);
}

/** Loads only the driver that is used. */
async function openStore(storage: Exclude<StorageChoice, Store>, logger: Logger): Promise<Store> {
  if (storage === 'memory') return (await import('@tsukube/storage/memory')).openMemory();
  if ('lmdb' in storage) {
    const { openLmdb } = await import('@tsukube/storage/lmdb');
    return openLmdb({ path: join(storage.lmdb, 'data'), logger });
  }
  const { openEtcd } = await import('@tsukube/storage/etcd');
  const { etcd: endpoints, prefix, tls } = storage;
  return openEtcd({ endpoints, ...(prefix !== undefined && { prefix }), ...(tls && { tls }), logger });
}
