/** Exponential backoff with full jitter. */
export interface Backoff {
  readonly attempts: number;
  readonly firstMs: number;
  readonly maxMs: number;
  /** From 0 to 1; Math.random if absent. */
  readonly random?: () => number;
}

/** Waits after the given attempt failed; attempts count from 1. */
export function pauseAfter(attempt: number, { firstMs, maxMs, random = Math.random }: Backoff): Promise<void> {
  const ms = Math.min(maxMs, firstMs * 2 ** (attempt - 1)) * random();
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Most conflicts are resolved by the first retry, so these attempts follow without a pause. */
const immediateAttempts = 10;
const conflictBackoff: Backoff = { attempts: 250, firstMs: 1, maxMs: 64 };

/** Waits before the next attempt of a write that lost a compare-and-swap. Resolves to false after the last attempt. */
export async function pauseAfterConflict(attempt: number, random: () => number): Promise<boolean> {
  if (attempt >= conflictBackoff.attempts) return false;
  if (attempt > immediateAttempts) await pauseAfter(attempt - immediateAttempts, { ...conflictBackoff, random });
  return true;
}
