import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import type { CorruptValue, Store } from '../store.ts';
import { openEnvironment } from './environment.ts';
import { markDatabase, verifyDatabase } from './file/check.ts';
import { LmdbStore } from './lmdb-store.ts';
import { loadState } from './load-state.ts';
import type { LmdbOptions } from './options.ts';

/** Opens the embedded store. Only one process may write to it. Throws DamagedDatabase. */
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
    const store = new LmdbStore(tables, state, transaction, {
      clock: options.clock ?? systemClock,
      onCorrupt,
      shared: options.shared,
    });
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
