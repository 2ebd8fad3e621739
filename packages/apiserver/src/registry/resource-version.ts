import { goQuote, StatusError } from '@tsukube/machinery';
import { UnreadableValue } from '@tsukube/storage';
import type { ObjectCache } from '../watchcache/object-cache.ts';

/** Undefined if the text is empty. Throws Kubernetes' error if it is not a number. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  const message = versionProblem(text);
  if (message !== undefined) throw new StatusError({ status: 'Failure', message, code: 500 });
  return Number(text);
}

/** Kubernetes' error for an invalid resourceVersion; undefined if it is valid. */
export function versionProblem(text: string): string | undefined {
  const problem = uint64Problem(text);
  return problem && `resourceVersion: Invalid value: ${goQuote(text)}: ${problem}`;
}

const waitMs = 3000;
const pollMs = 50;

/** Waits until the cache has reached a revision. Rejects with 504 after three seconds. */
export async function atLeast(cache: ObjectCache, revision: number): Promise<void> {
  await cache.loaded();
  if (cache.current >= revision) return;
  const end = performance.now() + waitMs;
  while (cache.current < revision) {
    if (performance.now() >= end) throw StatusError.tooLargeResourceVersion(revision, cache.current);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

const retryAfterSeconds = 30;

/** The error while an unreadable value keeps the cache from loading. */
export function uninitialized({ reason }: UnreadableValue): StatusError {
  return StatusError.tooManyRequests(`storage is (re)initializing: ${reason}`, retryAfterSeconds);
}

/** Rethrows the error that loading the cache failed with. */
export function notInitialized(error: unknown): never {
  throw error instanceof UnreadableValue ? uninitialized(error) : error;
}

const maxUint64 = 2n ** 64n - 1n;

/** Go's error for a text that is not a uint64; undefined if it is one. */
export function uint64Problem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  return isInRange(text) ? undefined : `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`;
}

function isInRange(digits: string): boolean {
  if (digits.length < 20) return true;
  const significant = digits.replace(/^0+/, '');
  return significant.length <= 20 && BigInt(significant) <= maxUint64;
}
