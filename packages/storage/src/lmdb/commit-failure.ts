import { NoSpace, Unavailable } from '../store.ts';
import { freeBytes } from './disk-space.ts';

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
