import { StatusError } from '@tsukube/machinery';
import type { WatchCache } from '../watchcache/watch-cache.ts';

/** Undefined if none is given. Fails as Kubernetes does on one that is not a number. */
export function parseResourceVersion(text: string): number | undefined {
  if (text === '') return undefined;
  const number = /^\d{1,20}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(number)) throw invalidResourceVersion(text);
  return number;
}

function invalidResourceVersion(text: string): StatusError {
  const quoted = JSON.stringify(text);
  const message = `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
  return new StatusError({ status: 'Failure', message, code: 500 });
}

const waitMs = 3000;
const pollMs = 50;

/** Resolves when the cache has reached a revision; fails with 504 if it does not within three seconds. */
export async function atLeast(cache: WatchCache, revision: number): Promise<void> {
  await cache.loaded();
  if (cache.current >= revision) return;
  const end = performance.now() + waitMs;
  while (cache.current < revision) {
    if (performance.now() >= end) throw StatusError.tooLargeResourceVersion(revision, cache.current);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
