import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { takeDataDir } from './data-dir.ts';

/** Result of the check of a data dir. */
export interface DataDirCheck {
  /** Damage that prevents the server from starting. */
  readonly problems: readonly string[];
  /** Keys of unreadable objects. */
  readonly damaged: readonly string[];
  /** Number of unreadable history entries. */
  readonly damagedHistory: number;
  readonly objects: number;
  readonly records: number;
  readonly bytes: number;
  readonly revision: number | undefined;
}

export interface DataDirRepair {
  /** The new database. */
  readonly database: string;
  /** The damaged database, unmodified. */
  readonly backup: string;
  readonly saved: number;
  readonly lost: readonly string[];
  readonly uncertain: readonly string[];
  readonly unknown: number;
  readonly revision: number;
}

/** Checks the embedded database of a data dir that is not in use. Throws DataDirTaken, or if there is no database. */
export function checkDataDir(dataDir: string): Promise<DataDirCheck> {
  return withDatabase(dataDir, async (path) => {
    const { checkDatabase, DamagedDatabase } = await import('@tsukube/storage/lmdb');
    try {
      return checkDatabase(path, valueProblem);
    } catch (error) {
      if (!(error instanceof DamagedDatabase)) throw error;
      return { ...nothing, problems: error.problems };
    }
  });
}

const nothing = { damaged: [], damagedHistory: 0, objects: 0, records: 0, bytes: 0, revision: undefined } as const;

/**
 * Copies the intact objects of a damaged database to a new one, in the data dir `output` or in place of the damaged one, which is
 * kept next to it. The damaged file is never written to.
 */
export function repairDataDir(dataDir: string, output: string | undefined, now = new Date()): Promise<DataDirRepair> {
  return withDatabase(dataDir, async (path) => {
    const { salvageDatabase } = await import('@tsukube/storage/lmdb');
    if (output !== undefined) {
      const database = join(resolve(output), 'data');
      mkdirSync(resolve(output), { recursive: true, mode: 0o700 });
      return { ...(await salvageDatabase(path, database)), database, backup: path };
    }
    const unfinished = `${path}.repaired`;
    rmSync(unfinished, { recursive: true, force: true });
    const report = await salvageDatabase(path, unfinished);
    const backup = `${path}.damaged-${now.toISOString().replace(/[:.]/g, '-')}`;
    renameSync(path, backup);
    renameSync(unfinished, path);
    return { ...report, database: path, backup };
  });
}

export interface DataDirSnapshot {
  readonly objects: number;
  readonly bytes: number;
  readonly revision: number | undefined;
}

/** Saves the embedded database of a data dir to a file. A server may be using it. */
export async function saveDataDirSnapshot(dataDir: string, file: string): Promise<DataDirSnapshot> {
  const path = databaseOf(dataDir);
  const { saveSnapshot } = await import('@tsukube/storage/lmdb');
  return saveSnapshot(path, resolve(file), valueProblem);
}

/** Restores a snapshot to a data dir that no server uses. A database that is there is kept beside the new one, if `replace` is set. */
export async function restoreDataDirSnapshot(
  file: string,
  dataDir: string,
  { replace = false, now = new Date() }: { readonly replace?: boolean; readonly now?: Date } = {},
): Promise<DataDirSnapshot & { readonly backup: string | undefined }> {
  const { restoreSnapshot } = await import('@tsukube/storage/lmdb');
  const path = join(resolve(dataDir), 'data');
  const taken = takeDataDir(dataDir);
  try {
    const isReplaced = existsSync(path);
    if (isReplaced && !replace) throw new Error(`there is a database in ${resolve(dataDir)}; --replace puts it aside`);
    const restored = `${path}.restored`;
    rmSync(restored, { recursive: true, force: true });
    const report = await restoreSnapshot(resolve(file), restored, { valueProblem });
    const backup = isReplaced ? `${path}.before-${now.toISOString().replace(/[:.]/g, '-')}` : undefined;
    if (backup !== undefined) renameSync(path, backup);
    renameSync(restored, path);
    return { ...report, backup };
  } finally {
    taken.release();
  }
}

function databaseOf(dataDir: string): string {
  const path = join(resolve(dataDir), 'data');
  if (!existsSync(path)) throw new Error(`there is no database in ${resolve(dataDir)}`);
  return path;
}

async function withDatabase<T>(dataDir: string, action: (path: string) => Promise<T>): Promise<T> {
  const path = databaseOf(dataDir);
  const taken = takeDataDir(dataDir);
  try {
    return await action(path);
  } finally {
    taken.release();
  }
}

const brace = 0x7b;
/** Prefixes of protobuf and encrypted values. */
const otherForms = ['k8s\0', 'k8s:enc:'];

/** Objects are JSON, or in a format of kube-apiserver. */
function valueProblem(_key: string, value: Uint8Array): string | undefined {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (bytes[0] !== brace)
    return otherForms.some((form) => bytes.subarray(0, form.length).equals(Buffer.from(form))) ? undefined : 'is no object';
  try {
    JSON.parse(bytes.toString());
    return undefined;
  } catch {
    return 'is not JSON';
  }
}
