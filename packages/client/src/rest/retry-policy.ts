import type { ConnectionError, HttpMethod } from '../http/transport.ts';

export interface RetryOptions {
  /** Attempts after the first one. 10 by default, as in client-go; 0 disables retries. */
  readonly limit?: number;
  readonly initialMs?: number;
  readonly maxMs?: number;
}

/** A failed attempt: without a response, or with the status of one. */
export type Failure = { readonly error: ConnectionError } | { readonly status: number; readonly retryAfter: string | undefined };

/** Statuses that a GET retries without Retry-After. */
const transient = new Set([429, 500, 502, 503, 504]);
const maxTransientRetries = 4;

/**
 * Whether another attempt is safe. A write is repeated only if the server did not process it, or asks for it with
 * Retry-After; reads are repeated after all failures that may pass.
 */
export function mayRetry(method: HttpMethod, failure: Failure, retries: number, idempotent = false): boolean {
  const isSafe = idempotent || method === 'GET' || method === 'HEAD';
  if ('error' in failure) return failure.error.unprocessed || (isSafe && retries < maxTransientRetries);
  const { status, retryAfter } = failure;
  if (retryAfter !== undefined && (status === 429 || status >= 500)) return true;
  return isSafe && transient.has(status) && retries < maxTransientRetries;
}

/** The longest time that Retry-After is obeyed. */
const maxRetryAfterMs = 60_000;

/** The delay of a Retry-After header in seconds or as a date; undefined if there is none. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined || header === '') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), maxRetryAfterMs);
}
