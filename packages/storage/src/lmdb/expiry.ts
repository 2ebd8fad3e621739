import { Mismatch } from '../store.ts';
import type { LmdbEnvironment, Tables } from './environment.ts';
import { DAMAGED, readDue } from './file/records.ts';

const REMOVALS_AT_ONCE = 256;
const RETRY_MS = 1000;

type Remove = (key: string, expected: number) => Promise<number>;

/** Deletes expired keys with ordinary writes; resolves with the time of the next expiry. */
export async function removeExpired(tables: LmdbEnvironment, now: number, remove: Remove): Promise<number | undefined> {
  tables.guard.beforeRead();
  while (await removeSome(tables, now, remove));
  const [next] = tables.expiry.getKeys({ start: [0, 0], limit: 1 });
  const [due = 0] = next ?? [];
  return next && (due > now ? due : now + RETRY_MS);
}

/** Resolves with whether it deleted any. */
async function removeSome({ expiry }: Tables, now: number, remove: Remove): Promise<boolean> {
  const due = [...expiry.getRange({ start: [0, 0], end: [now + 1, 0], limit: REMOVALS_AT_ONCE })];
  const removals = due.flatMap(({ key: [expires = 0, revision = 0], value }) => {
    const key = readDue(value, expires, revision);
    // The key stays: the damage is reported when the server next starts.
    return key === DAMAGED ? [] : [remove(key, revision)];
  });
  const removed = await Promise.all(removals.map(unlessRewritten));
  return removed.includes(true);
}

/** A key that has been written meanwhile does not expire. */
async function unlessRewritten(removal: Promise<number>): Promise<boolean> {
  try {
    await removal;
    return true;
  } catch (error) {
    if (error instanceof Mismatch) return false;
    throw error;
  }
}
