import type { Clock } from '../clock.ts';

export interface LmdbOptions {
  /** Directory of the database; created if missing. */
  readonly path: string;
  /** Initial size of the memory map in bytes. The database may outgrow it. */
  readonly mapSize?: number;
  readonly clock?: Clock;
  /** Acknowledges writes before they are synced. They survive a crash of the process, but not a power failure. */
  readonly noSync?: boolean;
  /** Set if other processes read the database: see lmdb-shared. */
  readonly shared?: SharedLmdb;
  /** Receives one message per key with a corrupt value. */
  readonly logger?: LmdbLogger;
}

export interface LmdbLogger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** How a store works with processes that read its database. */
export interface SharedLmdb {
  /** Resolves when no process reads what a compaction to the revision removes. */
  beforeCompaction(revision: number): Promise<void>;
}
