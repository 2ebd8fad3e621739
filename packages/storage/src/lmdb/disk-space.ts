import { statfsSync } from 'node:fs';
import { NoSpace, Unavailable } from '../store.ts';

/** Below this nothing new is taken; removals and compaction still are, so that the database can make room within itself. */
const RESERVE_BYTES = 16 << 20;
/** Below this nothing is committed. */
const FLOOR_BYTES = 2 << 20;

/**
 * Keeps commits from meeting a full disk. LMDB's binding formats the error of a write that fails into a buffer of 100 bytes,
 * which positions of more than eight digits overflow: the process may die of it.
 */
export class DiskSpace {
  readonly #path: string;
  #isShort = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether there is room for a transaction of so many bytes. Asks the file system. */
  hasRoomFor(bytes: number): boolean {
    const free = freeBytes(this.#path);
    this.#isShort = free < RESERVE_BYTES;
    // Pages on the way to a changed one are written as well.
    return free >= FLOOR_BYTES + 2 * bytes;
  }

  /** Whether nothing new should be taken. Asks the file system only while the last transaction found it short. */
  get isShort(): boolean {
    if (this.#isShort) this.#isShort = freeBytes(this.#path) < RESERVE_BYTES;
    return this.#isShort;
  }
}

/** Where the system does not tell, commits fail by themselves. */
export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Errors of LMDB carry errno: ENOSPC, EDQUOT, EFBIG, and LMDB's own MAP_FULL. */
const NO_SPACE: ReadonlySet<unknown> = new Set([28, 122, 27, -30792]);
const EIO = 5;
/** LMDB writes a transaction in chunks of up to a mebibyte. */
const SHORT_OF_SPACE_BYTES = 1 << 20;

/** The error for writes whose commit has failed. LMDB discards such a transaction as a whole. */
export function commitFailure(cause: unknown, path: string): Unavailable {
  if (isFull(cause, path)) return new NoSpace({ cause });
  return new Unavailable('the write could not be committed', { cause, unwritten: true });
}

/** A chunk of which only a part fits on the disk is EIO to LMDB, so the disk is asked as well. */
function isFull(cause: unknown, path: string): boolean {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return NO_SPACE.has(code) || (code === EIO && freeBytes(path) < SHORT_OF_SPACE_BYTES);
}
