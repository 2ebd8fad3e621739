import type { User } from '../http/api-request.ts';
import type { ObjectRegistry, WriteContext } from './object-registry.ts';

/** The identity of a component of the server that writes without a request. */
export interface ServerIdentity {
  readonly user: User;
  readonly fieldManager: string;
}

const apiServer: ServerIdentity = {
  user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
  fieldManager: 'kube-apiserver',
};

/** The context of a write that the server makes on its own behalf, in the hub version. */
export function asServer(
  { resource }: ObjectRegistry,
  namespace = '',
  subresource = '',
  { user, fieldManager }: ServerIdentity = apiServer,
): WriteContext {
  return {
    version: resource.hub,
    user,
    namespace,
    subresource,
    strategy: { ...resource.strategy, ...resource.subresources?.[subresource]?.strategy },
    dryRun: false,
    fieldManager,
    warn: () => {},
    isOver: () => false,
  };
}
