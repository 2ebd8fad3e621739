/** Exponential backoff with full jitter. */
export interface Backoff {
  readonly attempts: number;
  readonly firstMs: number;
  readonly maxMs: number;
  /** From 0 to 1; Math.random if absent. */
  readonly random?: () => number;
}

/** Waits after the given attempt failed; attempts count from 1. */
export function pauseBefore(attempt: number, { firstMs, maxMs, random = Math.random }: Backoff): Promise<void> {
  const ms = Math.min(maxMs, firstMs * 2 ** (attempt - 1)) * random();
  return new Promise((resolve) => setTimeout(resolve, ms));
}
