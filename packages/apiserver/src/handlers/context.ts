import type { ResourceRequest } from '../http/request.ts';
import type { WriteContext } from '../registry/object-registry.ts';

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
