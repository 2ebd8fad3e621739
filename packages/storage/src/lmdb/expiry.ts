import { Mismatch } from '../store.ts';
import type { Tables } from './tables.ts';

const REMOVALS_AT_ONCE = 256;
const RETRY_MS = 1000;

type Remove = (key: string, expected: number) => Promise<number>;

/** Removes the keys whose time has come, as writes like any other; gives the time when the next one is due. */
export async function removeExpired({ expiry }: Tables, now: number, remove: Remove): Promise<number | undefined> {
  const due = [...expiry.getRange({ start: [0, 0], end: [now + 1, 0], limit: REMOVALS_AT_ONCE })];
  const removals = due.map(({ key: [, revision = 0], value }) => remove(Buffer.from(value).toString(), revision));
  const removed = await Promise.all(removals.map(unlessRewritten));
  const [next] = expiry.getKeys({ start: [0, 0], limit: 1 });
  if (next === undefined) return undefined;
  return removed.includes(true) ? next[0] : Math.max(next[0] ?? 0, now + RETRY_MS);
}

/** A key that is being written again does not expire. */
async function unlessRewritten(removal: Promise<number>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (error instanceof Mismatch) return false;
    throw error;
  }
}
