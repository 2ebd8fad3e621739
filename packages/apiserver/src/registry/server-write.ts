import type { User } from '../http/request.ts';
import type { ObjectRegistry, WriteContext } from './object-registry.ts';

const serverUser: User = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

/** The server writes on its own behalf, in the hub version. */
export function asServer(registry: ObjectRegistry, namespace = '', subresource = ''): WriteContext {
  const { resource } = registry;
  return {
    version: resource.hub,
    user: serverUser,
    namespace,
    subresource,
    strategy: { ...resource.strategy, ...resource.subresources?.[subresource]?.strategy },
    dryRun: false,
    fieldManager: 'kube-apiserver',
    warn: () => {},
    isOver: () => false,
  };
}
