import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedDatabase, DatabaseFile } from './database-file.ts';
import { pairKeys } from './key-encodings.ts';
import { DAMAGED, isHeadOf, LAYOUT, readDue, readHead } from './records.ts';

/**
 * Fails with DamagedDatabase on a file that LMDB cannot be trusted with. All pages of all trees are checked, and the index of
 * keys with its checksums; values are checked when they are read. Takes one to two milliseconds for each megabyte.
 */
export function verifyDatabase(directory: string): void {
  const path = join(directory, 'data.mdb');
  const isKnown = existsSync(markerOf(directory));
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (isKnown && !bytes) throw new DamagedDatabase(path, [bytes === 0 ? 'it is empty' : 'it is missing']);
  if (!bytes || !isReadable) return;
  const database = new DatabaseFile(directory);
  try {
    verify(database, isKnown);
  } finally {
    database.close();
  }
  if (database.problems.length > 0) throw new DamagedDatabase(path, database.problems);
}

/** The file has the form that is read here on machines with 64 bits and little-endian numbers: all that there are binaries for but one. */
const isReadable = process.arch !== 'arm' && process.arch !== 'ia32';

function verify(database: DatabaseFile, isKnown: boolean): void {
  const found = database.state();
  if (isKnown && !found) database.problem('the table of meta data is missing');
  verifyIndex(database, found?.layout === LAYOUT);
  database.table('log');
  database.freeList();
}

/** The index of keys and that of expiry. */
function verifyIndex(database: DatabaseFile, hasChecksums: boolean): void {
  if (!hasChecksums) {
    database.table('current');
    database.table('expiry');
    return;
  }
  database.table('current', (key, data, page) => {
    const bytes = database.data(data);
    const head = readHead(bytes, bytes.length);
    if (head === DAMAGED || !isHeadOf(key, head)) database.problem(`page ${page} has a damaged entry of the index of keys`);
  });
  database.table('expiry', (key, data, page) => {
    const [expires = 0, revision = 0] = key.length === 16 ? pairKeys.readKey(key, 0, key.length) : [];
    if (readDue(database.data(data), expires, revision) === DAMAGED)
      database.problem(`page ${page} has a damaged time of expiry`);
  });
}

/** Tells a database that was emptied from one that is new. */
function markerOf(directory: string): string {
  return join(directory, 'layout.json');
}

/** To be called when the database holds a state. */
export function markDatabase(directory: string): void {
  if (!existsSync(markerOf(directory)))
    writeFileSync(markerOf(directory), `${JSON.stringify({ layout: LAYOUT })}\n`, { mode: 0o600 });
}
