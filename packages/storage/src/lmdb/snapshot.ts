import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openEnvironment, readState, STATE } from './environment.ts';
import { type CheckReport, checkDatabase, markDatabase, type ValueProblem } from './file/check.ts';
import { encodeState, type State } from './file/records.ts';
import { openLmdb } from './open-lmdb.ts';

/**
 * A snapshot is one file: the database, then the SHA-256 of all bytes before it, then the magic number. A file that was cut off
 * or changed is never accepted as a snapshot.
 */
const MAGIC = Buffer.from('TSUKSNP1');
const HASH_BYTES = 32;
const FOOTER_BYTES = HASH_BYTES + MAGIC.length;

export interface SnapshotReport extends Pick<CheckReport, 'objects' | 'bytes' | 'revision'> {}

/** The file is no snapshot, or not a whole one. */
export class BadSnapshot extends Error {
  override readonly name = 'BadSnapshot';
}

/**
 * Saves a snapshot of a database, which a server may have open: the state of one moment, by a read transaction. The file appears
 * when it is complete, checked and synced; it must not exist.
 */
export async function saveSnapshot(directory: string, file: string, valueProblem?: ValueProblem): Promise<SnapshotReport> {
  if (existsSync(file)) throw new Error(`${file} exists`);
  const unfinished = `${file}.${process.pid}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    await copyDatabase(directory, unfinished);
    const report = soundReport(unfinished, valueProblem);
    const packed = join(unfinished, 'packed');
    await append(join(unfinished, 'data.mdb'), packed);
    if (existsSync(file)) throw new Error(`${file} exists`);
    await rename(packed, file);
    await syncFolder(dirname(file));
    return report;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** A reader of another process does not delay writes; pages that it needs are not reused meanwhile. */
async function copyDatabase(directory: string, target: string): Promise<void> {
  const { root } = openEnvironment({ path: directory, readOnly: true });
  try {
    await root.backup(target, true);
  } finally {
    await root.close();
  }
  await rewriteState(target, (state) => state);
}

/**
 * Writes the state of a database that no process has open. Of the two meta pages LMDB copies only the newer one; this
 * transaction writes the other, as in any database that was written to.
 */
async function rewriteState(path: string, change: (state: State) => State): Promise<void> {
  const tables = openEnvironment({ path });
  try {
    const { version = 1 } = tables.meta.getEntry(STATE) ?? {};
    await tables.meta.put(STATE, encodeState(change(readState(tables))), version);
  } finally {
    await tables.root.close();
  }
}

/** Writes the database and its footer to a file, and syncs it. */
async function append(database: string, packed: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(database), hashing(hash), createWriteStream(packed, { mode: 0o600 }));
  const file = await open(packed, 'a');
  try {
    await file.write(Buffer.concat([hash.digest(), MAGIC]));
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Restores a snapshot to a database directory that does not exist. New revisions start `bump` above the newest one and the
 * history is empty, so that clients which have seen later revisions list again. The directory appears when it is complete.
 */
export async function restoreSnapshot(
  file: string,
  directory: string,
  { bump = 1_000_000, valueProblem }: { readonly bump?: number; readonly valueProblem?: ValueProblem } = {},
): Promise<SnapshotReport> {
  if (existsSync(directory)) throw new Error(`${directory} exists`);
  const unfinished = `${directory}.restoring`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    await unpack(file, join(unfinished, 'data.mdb'));
    soundReport(unfinished, valueProblem);
    markDatabase(unfinished);
    await raiseRevision(unfinished, bump);
    await rm(join(unfinished, 'lock.mdb'), { force: true });
    const report = soundReport(unfinished, valueProblem);
    await rename(unfinished, directory);
    await syncFolder(dirname(directory));
    return report;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
}

/** Throws BadSnapshot unless the checksum is that of the content. */
async function unpack(file: string, database: string): Promise<void> {
  const { size } = await stat(file);
  const end = size - FOOTER_BYTES;
  const footer = end > 0 ? await readEnd(file, end) : Buffer.alloc(0);
  if (!footer.subarray(HASH_BYTES).equals(MAGIC)) throw new BadSnapshot(`${file} is not a whole snapshot`);
  const hash = createHash('sha256');
  await pipeline(
    createReadStream(file, { end: end - 1 }),
    hashing(hash),
    createWriteStream(database, { mode: 0o600, flush: true }),
  );
  if (!hash.digest().equals(footer.subarray(0, HASH_BYTES))) throw new BadSnapshot(`${file} is damaged: its checksum is wrong`);
}

async function readEnd(file: string, position: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FOOTER_BYTES), 0, FOOTER_BYTES, position);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

function soundReport(directory: string, valueProblem: ValueProblem | undefined): SnapshotReport {
  const { problems, damaged, damagedHistory, objects, bytes, revision } = checkDatabase(directory, valueProblem);
  const [first] = [...problems, ...damaged.map((key) => `the value of ${key}`)];
  if (first !== undefined || damagedHistory > 0)
    throw new BadSnapshot(`the database is damaged: ${first ?? 'changes of its history'}; see tsukube check and tsukube repair`);
  return { objects, bytes, revision };
}

/** Compacts all history, and moves the newest revision up. */
async function raiseRevision(path: string, bump: number): Promise<void> {
  const store = await openLmdb({ path });
  await store.compact(await store.revision());
  await store.close();
  await rewriteState(path, (state) => {
    const revision = state.revision + bump;
    return { revision, compacted: revision, swept: revision };
  });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
