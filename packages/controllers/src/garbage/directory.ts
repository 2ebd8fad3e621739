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
  readonly byKind: ReadonlyMap<string, Resource>;
  readonly byPrefix: ReadonlyMap<string, Resource>;
}

/** The tables are made anew when resources have come or gone. */
export function resourceDirectory(context: ControllerContext): Directory {
  let tables: Tables | undefined;
  const current = (): Tables => {
    if (tables?.resources !== context.resources) tables = tablesOf(context);
    return tables;
  };
  return {
    ofKind(apiVersion, kind) {
      const resource = current().byKind.get(`${apiVersion} ${kind}`);
      return resource && context.registryOf(resource);
    },
    ofKey(key) {
      const { byPrefix } = current();
      for (let slash = key.indexOf('/', 1); slash >= 0; slash = key.indexOf('/', slash + 1)) {
        const resource = byPrefix.get(key.slice(0, slash));
        if (resource) return context.registryOf(resource);
      }
      return undefined;
    },
  };
}

function tablesOf({ resources }: ControllerContext): Tables {
  const byKind = new Map<string, Resource>();
  const byPrefix = new Map<string, Resource>();
  for (const resource of resources) {
    if (resource.storagePrefix === '' || !resource.verbs.delete) continue;
    if (!byPrefix.has(resource.storagePrefix)) byPrefix.set(resource.storagePrefix, resource);
    for (const version of resource.versions) byKind.set(`${apiVersionOf(version)} ${resource.names.kind}`, resource);
  }
  return { resources, byKind, byPrefix };
}
