const NETWORK_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);

/** A connection that ended, with the reason. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/** Exponential backoff with jitter, in milliseconds. */
export function backoff(failures: number, random: () => number = Math.random): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10)) * (0.5 + random() / 2);
}

/** Whether an error is one of the network rather than one that the database reported. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (error instanceof AggregateError) return error.errors.some(isNetworkError);
  return NETWORK_CODES.has((error as { readonly code?: unknown } | undefined)?.code);
}
