import { type Clock, systemClock } from '../clock.ts';
import type { Store } from '../store.ts';
import { openEnvironment } from './environment.ts';
import { LmdbStore } from './lmdb-store.ts';
import { loadState } from './tables.ts';

export interface LmdbOptions {
  /** The directory of the database; made if it is missing. */
  readonly path: string;
  /** How much address space to start with, in bytes. The database may outgrow it. */
  readonly mapSize?: number;
  readonly clock?: Clock;
  /** Acknowledges writes before they are on the disk. They survive the end of the process, but no power failure. */
  readonly noSync?: boolean;
}

/** The embedded store. One process at a time may have it open. */
export async function openLmdb(options: LmdbOptions): Promise<Store> {
  const tables = openEnvironment(options);
  const { state, transaction } = await loadState(tables);
  const store = new LmdbStore(tables, state, transaction, options.clock ?? systemClock);
  store.start();
  return store;
}
