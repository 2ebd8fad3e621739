import type { ObjectRegistry, Resource } from '@tsukube/apiserver';
import { apiVersionOf } from '@tsukube/machinery';
import type { ControllerContext } from '../controller.ts';

/** Finds the resource that a reference or a key is about. */
export interface Directory {
  /** Undefined if nothing of that kind is served in that version. */
  ofKind(apiVersion: string, kind: string): ObjectRegistry | undefined;
  ofKey(key: string): ObjectRegistry | undefined;
}

interface Tables {
  readonly resources: readonly Resource[];
  readonly byKind: ReadonlyMap<string, ObjectRegistry>;
  readonly byPrefix: ReadonlyMap<string, ObjectRegistry>;
}

/** The tables are made anew when resources have come or gone. */
export function resourceDirectory(context: ControllerContext): Directory {
  let tables: Tables | undefined;
  const current = (): Tables => {
    if (tables?.resources !== context.resources) tables = tablesOf(context);
    return tables;
  };
  return {
    ofKind: (apiVersion, kind) => current().byKind.get(`${apiVersion} ${kind}`),
    ofKey(key) {
      const { byPrefix } = current();
      for (let slash = key.indexOf('/', 1); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        const registry = byPrefix.get(key.slice(0, slash));
        if (registry) return registry;
      }
      return undefined;
    },
  };
}

function tablesOf({ resources, registryOf }: ControllerContext): Tables {
  const byKind = new Map<string, ObjectRegistry>();
  const byPrefix = new Map<string, ObjectRegistry>();
  for (const resource of resources) {
    if (resource.storagePrefix === '' || !resource.verbs.delete) continue;
    const registry = registryOf(resource);
    byPrefix.set(resource.storagePrefix, registry);
    for (const version of resource.versions) byKind.set(`${apiVersionOf(version)} ${resource.names.kind}`, registry);
  }
  return { resources, byKind, byPrefix };
}
