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

/** Whether an error is one of the network rather than one that the database reported. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  if (error instanceof AggregateError) return error.errors.some(isNetworkError);
  return NETWORK_CODES.has((error as { readonly code?: unknown } | undefined)?.code);
}
