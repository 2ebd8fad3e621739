const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/** How long to wait after so many failures in a row. */
export function backoff(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
}
