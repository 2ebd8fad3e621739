import { statfsSync } from 'node:fs';
import { NoSpace, Unavailable } from '../store.ts';

/** With less free space no puts are accepted. Deletes and compaction still are, so that the database can free pages. */
const RESERVE_BYTES = 16 << 20;
/** With less free space nothing is committed. */
const FLOOR_BYTES = 2 << 20;

/**
 * Keeps commits from running into a full disk. LMDB's binding formats the error of a failed write into a buffer of 100 bytes,
 * which file positions of more than eight digits overflow: that can crash the process.
 */
export class DiskSpace {
  readonly #path: string;
  #isShort = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether a transaction of this size fits. Calls statfs. */
  hasRoomFor(bytes: number): boolean {
    const free = freeBytes(this.#path);
    this.#isShort = free < RESERVE_BYTES;
    // The branch pages above a changed page are written as well.
    return free >= FLOOR_BYTES + 2 * bytes;
  }

  /** Whether puts should be rejected. Calls statfs only if space was short at the last transaction. */
  get isShort(): boolean {
    if (this.#isShort) this.#isShort = freeBytes(this.#path) < RESERVE_BYTES;
    return this.#isShort;
  }
}

/** Infinite if statfs is not supported: commits then fail by themselves. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Error codes of a full disk: ENOSPC, EDQUOT, EFBIG, and LMDB's MDB_MAP_FULL. */
const NO_SPACE: ReadonlySet<unknown> = new Set([28, 122, 27, -30792]);
const EIO = 5;
/** LMDB writes a transaction in chunks of up to 1 MiB. */
const SHORT_OF_SPACE_BYTES = 1 << 20;

/** The error of writes whose commit failed. LMDB discards the whole transaction. */
export function commitFailure(cause: unknown, path: string): Unavailable {
  if (isFull(cause, path)) return new NoSpace({ cause });
  return new Unavailable('the write could not be committed', { cause, unwritten: true });
}

/** LMDB reports a partially written chunk as EIO, so free space is checked as well. */
function isFull(cause: unknown, path: string): boolean {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return NO_SPACE.has(code) || (code === EIO && freeBytes(path) < SHORT_OF_SPACE_BYTES);
}
