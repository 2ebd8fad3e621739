import { goQuote, StatusError } from '@tsukube/machinery';
import { UnreadableValue } from '@tsukube/storage';
import type { ObjectCache } from '../watchcache/object-cache.ts';

/** Undefined if none is given. Fails as Kubernetes does on one that is not a number. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  const message = versionProblem(text);
  if (message !== undefined) throw new StatusError({ status: 'Failure', message, code: 500 });
  return Number(text);
}

/** What Kubernetes says of a text that is no version; undefined if it is one. */
export function versionProblem(text: string): string | undefined {
  const problem = uint64Problem(text);
  return problem && `resourceVersion: Invalid value: ${goQuote(text)}: ${problem}`;
}

const waitMs = 3000;
const pollMs = 50;

/** Resolves when the cache has reached a revision; fails with 504 if it does not within three seconds. */
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

/** While a value cannot be read, memory is not filled. */
export function uninitialized({ reason }: UnreadableValue): StatusError {
  return StatusError.tooManyRequests(`storage is (re)initializing: ${reason}`, retryAfterSeconds);
}

/** Rethrows what filling memory failed with. */
export function notInitialized(error: unknown): never {
  throw error instanceof UnreadableValue ? uninitialized(error) : error;
}

const maxUint64 = 2n ** 64n - 1n;

/** What Go says of a text that is no unsigned number of 64 bits; undefined if it is one. */
export function uint64Problem(text: string): string | undefined {
  if (!/^\d+$/.test(text)) return `strconv.ParseUint: parsing ${goQuote(text)}: invalid syntax`;
  return isInRange(text) ? undefined : `strconv.ParseUint: parsing ${goQuote(text)}: value out of range`;
}

function isInRange(digits: string): boolean {
  if (digits.length < 20) return true;
  const significant = digits.replace(/^0+/, '');
  return significant.length <= 20 && BigInt(significant) <= maxUint64;
}
