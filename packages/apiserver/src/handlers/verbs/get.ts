import { StatusError } from '@tsukube/machinery';
import { UnreadableValue } from '@tsukube/storage';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects, type Output } from '../../http/negotiation.ts';
import { isTrue } from '../../http/request-info.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { atLeast, notInitialized, parseResourceVersion } from '../../registry/resource-version.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export function get(request: ResourceRequest): Answer | Promise<Answer> {
  const output = negotiateObjects(request);
  rejectExport(request);
  const { objects, info } = request;
  const key = objects.key(info.namespace, info.name);
  const answerWith = (entry: CacheEntry | undefined) => {
    if (!entry) throw StatusError.notFound({ group: request.version.group, resource: info.resource }, info.name);
    if (request.heavy && isConverted(output, request) && request.heavy.isHeavyObject(entry, request))
      return request.heavy.read(request);
    return answerEntry(200, entry, request, output);
  };
  const fromStore = async () => answerWith(await objects.cache.get(key));
  if (objects.cache.isUncached) return fromStore();
  const waiting = readiness(request, key);
  const answer = () => answerWith(objects.cache.peek(key));
  if (!waiting) return answer();
  return waiting.then(
    (fresh) => (fresh === false ? fromStore() : answer()),
    // An unreadable value keeps the cache from loading; other objects are read from the store one by one.
    (error) => (error instanceof UnreadableValue ? fromStore() : Promise.reject(error)),
  );
}

/** Whether the response is not a copy of the cached bytes or of a part of them. */
function isConverted({ mediaType, as, pretty }: Output, { version }: ResourceRequest): boolean {
  return mediaType !== 'application/json' || pretty || as === 'table' || version.converter !== undefined;
}

function rejectExport({ exchange, query }: ResourceRequest): void {
  if (exchange.url.includes('export') && isTrue(query.get('export')))
    throw StatusError.badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/**
 * No resourceVersion reads the newest state, 0 any state, and another one a state not older than it. The newest state includes a
 * write in progress: a Go client that cancels a write and reads may send the read before the cancellation.
 */
function readiness(request: ResourceRequest, key: string): Promise<unknown> | undefined {
  const { cache } = request.objects;
  if (!request.exchange.url.includes('resourceVersion')) return cache.freshAt(key);
  const version = parseResourceVersion(request.query.get('resourceVersion') ?? '');
  if (version === undefined) return cache.freshAt(key);
  if (version === 0) return cache.loaded()?.catch(notInitialized);
  return atLeast(cache, version);
}
