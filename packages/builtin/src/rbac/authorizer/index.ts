import type { Authorizer, ObjectRegistry } from '@tsukube/apiserver';
import { rbacGroup } from '../names.ts';
import { followRbac } from './follow-rbac.ts';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';

/** The objects of a kind; undefined if it is not served. */
export type FindRegistry = (group: string, plural: string) => ObjectRegistry | undefined;

export interface Rbac {
  readonly authorizer: Authorizer;
  readonly index: RbacIndex;
  stop(): void;
}

const kinds = { roles: 'role', clusterroles: 'role', rolebindings: 'binding', clusterrolebindings: 'binding' } as const;

/** RBAC over the objects of a server, as far as their kinds are served. Resolves once every role and binding is known. */
export async function openRbac(findRegistry: FindRegistry, index = new RbacIndex()): Promise<Rbac> {
  const followed = Object.entries(kinds).map(([plural, kind]) => {
    const registry = findRegistry(rbacGroup, plural);
    return registry ? followRbac(index, kind, registry) : () => {};
  });
  const stops = await Promise.all(followed);
  return {
    authorizer: rbacAuthorizer(index),
    index,
    stop() {
      for (const stop of stops) stop();
    },
  };
}
