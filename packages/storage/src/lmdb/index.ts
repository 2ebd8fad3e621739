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
  /** The directory of the database; made if it is missing. */
  readonly path: string;
  /** How much address space to start with, in bytes. The database may outgrow it. */
  readonly mapSize?: number;
  readonly clock?: Clock;
  /** Acknowledges writes before they are on the disk. They survive the end of the process, but no power failure. */
  readonly noSync?: boolean;
  /** Told once of every key whose value is damaged. */
  readonly logger?: LmdbLogger;
}

export interface LmdbLogger {
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** The embedded store. One process at a time may have it open. Fails with DamagedDatabase. */
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

/** Of versions that let everybody read them. */
function restrictFiles(path: string): void {
  restrict(path, 0o700);
  for (const name of ['data.mdb', 'lock.mdb']) restrict(join(path, name), 0o600);
}

/** Who may not change the mode has to live with it. */
function restrict(path: string, mode: number): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
