import { type Authorizer, type CacheEntry, followObjects, type ObjectListener, type ObjectRegistry } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { rbacGroup } from '../names.ts';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex, type RbacKind } from './rbac-index.ts';

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
    return registry ? followObjects(registry, into(index, kind)) : () => {};
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

function into(index: RbacIndex, kind: RbacKind): ObjectListener {
  return {
    put: (namespace, name, entry) => index.put(kind, namespace, name, () => readObject(entry)),
    remove: (namespace, name) => index.remove(kind, namespace, name),
  };
}

/** Nothing in a role or binding is a number, so the quickest way of reading is exact. What cannot be read grants nothing. */
function readObject(entry: CacheEntry): JsonObject {
  try {
    return JSON.parse(entry.value.toString()) as JsonObject;
  } catch {
    return {};
  }
}
