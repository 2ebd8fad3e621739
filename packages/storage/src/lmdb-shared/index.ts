import type { Duplex } from 'node:stream';
import { openEnvironment } from '../lmdb/environment.ts';
import type { LmdbLogger } from '../lmdb/index.ts';
import type { Store } from '../store.ts';
import { ReaderStore } from './reader-store.ts';

export { WriterHost } from './writer-host.ts';

export interface SharedStoreOptions {
  /** Directory of the database, which another process has open for writing. */
  readonly path: string;
  /** The connection to that process, which serves it with `WriterHost`. */
  readonly connection: Duplex;
  /** The other process has ended, or the database cannot be followed. */
  readonly onLost: (error: Error) => void;
  readonly logger?: LmdbLogger;
}

/** Opens a database that another process writes. */
export async function openSharedStore({ path, connection, onLost, logger }: SharedStoreOptions): Promise<Store> {
  const tables = openEnvironment({ path, readOnly: true });
  const onCorrupt = ({ message, key }: Error & { readonly key: string }) =>
    logger?.error('a stored value is damaged', { key, error: message });
  return new ReaderStore(tables, { connection, onCorrupt, onLost });
}
