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
const maxRemembered = 1000;
const managers = new Map<string, string>();

/** What a client calls itself in front of its version. */
function managerByUserAgent(userAgent: string): string {
  let manager = managers.get(userAgent);
  if (manager === undefined) {
    manager = printableName(userAgent);
    if (managers.size >= maxRemembered) managers.clear();
    managers.set(userAgent, manager);
  }
  return manager;
}

/** As far as it can be printed and fits. */
function printableName(userAgent: string): string {
  const slash = userAgent.indexOf('/');
  let name = '';
  let bytes = 0;
  for (const character of slash < 0 ? userAgent : userAgent.slice(0, slash)) {
    if (!printable.test(character)) continue;
    bytes += Buffer.byteLength(character);
    if (bytes > managerLimit) break;
    name += character;
  }
  return name;
}

export function writeContext(request: ResourceRequest, dryRun: boolean): WriteContext {
  const { info, resource, subresource, version, user } = request;
  const strategy = subresource?.strategy ? { ...resource.strategy, ...subresource.strategy } : resource.strategy;
  return {
    version,
    user,
    verb: info.verb,
    namespace: resource.scope === 'Namespaced' ? info.namespace : '',
    subresource: info.subresource,
    strategy,
    dryRun,
    effort: request.heavy?.effort,
    warn: (text) => request.warn(text),
    isOver: () => request.isOver,
    onResume: () => request.onResume?.(request),
  };
}
