import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, systemClock } from '../clock.ts';
import type { CorruptValue, Store } from '../store.ts';
import { openEnvironment } from './environment.ts';
import { markDatabase, verifyDatabase } from './file/check.ts';
import { LmdbStore } from './lmdb-store.ts';
import { loadState } from './load-state.ts';

export { type CheckReport, checkDatabase, type ValueProblem } from './file/check.ts';
export { DamagedDatabase } from './file/database-file.ts';
export { type SalvageReport, salvageDatabase } from './salvage.ts';

export interface LmdbOptions {
  /** Directory of the database; created if missing. */
  readonly path: string;
  /** Initial size of the memory map in bytes. The database may outgrow it. */
  readonly mapSize?: number;
  readonly clock?: Clock;
  /** Acknowledges writes before they are synced. They survive a crash of the process, but not a power failure. */
  readonly noSync?: boolean;
  /** Receives one message per key with a corrupt value. */
  readonly logger?: LmdbLogger;
}

export interface LmdbLogger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Opens the embedded store. Only one process may have it open. Throws DamagedDatabase. */
export async function openLmdb(options: LmdbOptions): Promise<Store> {
  const { path, logger } = options;
  mkdirSync(path, { recursive: true, mode: 0o700 });
  verifyDatabase(path);
  const tables = openEnvironment(options);
  try {
    const { state, transaction } = await loadState(tables);
    markDatabase(path);
    restrictFiles(path);
    const onCorrupt = ({ message, key }: CorruptValue) => logger?.error('a stored value is damaged', { key, error: message });
    const store = new LmdbStore(tables, state, transaction, options.clock ?? systemClock, onCorrupt);
    store.start();
    return store;
  } catch (error) {
    await tables.root.close();
    throw error;
  }
}

/** Earlier versions created world-readable files. */
function restrictFiles(path: string): void {
  restrict(path, 0o700);
  for (const name of ['data.mdb', 'lock.mdb']) restrict(join(path, name), 0o600);
}

/** Errors for lack of permission or support are ignored. */
function restrict(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
