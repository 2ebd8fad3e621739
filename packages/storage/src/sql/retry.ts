const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/** Exponential backoff with jitter, in milliseconds. */
export function backoff(failures: number, random: () => number = Math.random): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10)) * (0.5 + random() / 2);
}
