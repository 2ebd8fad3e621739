import { StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { isTrue } from '../routing/request-info.ts';
import { answerEntry } from './represent.ts';
import { atLeast, parseResourceVersion } from './resource-version.ts';

export function get(request: ResourceRequest): Answer | Promise<Answer> {
  const output = negotiateObjects(request);
  refuseExport(request);
  const { objects, info } = request;
  const key = objects.key(info.namespace, info.name);
  const waiting = readiness(request, key);
  const answer = () => {
    const entry = objects.cache.peek(key);
    if (!entry) throw StatusError.notFound({ group: request.version.group, resource: info.resource }, info.name);
    return answerEntry(200, entry, request, output);
  };
  if (!waiting) return answer();
  return waiting.then(async (fresh) => {
    if (fresh !== false) return answer();
    const entry = await objects.cache.get(key);
    if (!entry) throw StatusError.notFound({ group: request.version.group, resource: info.resource }, info.name);
    return answerEntry(200, entry, request, output);
  });
}

function refuseExport({ exchange, query }: ResourceRequest): void {
  if (exchange.url.includes('export') && isTrue(query.get('export')))
    throw StatusError.badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/**
 * Without a version the newest state is asked for, with 0 any, with another one that is not older. The newest state includes
 * a write that is under way: a Go client that cancels a write and reads may send the read ahead of the cancellation.
 */
function readiness(request: ResourceRequest, key: string): Promise<unknown> | undefined {
  const { cache } = request.objects;
  if (!request.exchange.url.includes('resourceVersion')) return cache.freshAt(key);
  const version = parseResourceVersion(request.query.get('resourceVersion') ?? '');
  if (version === undefined) return cache.freshAt(key);
  if (version === 0) return cache.loaded();
  return atLeast(cache, version);
}
