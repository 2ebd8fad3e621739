import type { ResourceRequest } from '../http/request.ts';
import type { WriteContext } from '../registry/object-registry.ts';
import type { WriteOptions } from './options.ts';

/** The context of a write whose author comes to own what it changes. */
export function ownedContext(request: ResourceRequest, options: WriteOptions): WriteContext {
  const fieldManager = options.fieldManager || managerByUserAgent(request.exchange.header('user-agent') ?? '');
  return { ...writeContext(request, options.dryRun), fieldManager };
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;
const managerLimit = 128;

/** What a client calls itself in front of its version, as far as it can be printed and fits. */
function managerByUserAgent(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let manager = '';
  let bytes = 0;
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!printable.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > managerLimit) break;
    manager += character;
  }
  return manager;
}

export function writeContext(request: ResourceRequest, dryRun: boolean): WriteContext {
  const { info, resource, subresource, version, user } = request;
  const strategy = subresource?.strategy ? { ...resource.strategy, ...subresource.strategy } : resource.strategy;
  return {
    version,
    user,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    subresource: info.subresource,
    strategy,
    dryRun,
    warn: (text) => request.warn(text),
    isOver: () => request.isOver,
  };
}
