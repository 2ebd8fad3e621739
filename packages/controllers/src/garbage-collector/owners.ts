import { nameOfKey, type ObjectRegistry, plainMetadata, type Resource } from '@tsukube/apiserver';
import { apiVersionOf, type ObjectMeta, type OwnerReference } from '@tsukube/machinery';
import type { ControllerContext } from '../controller.ts';
import { waitsFor } from './graph-builder.ts';

/** Maps kinds and storage keys to resources. */
export interface RegistryMapper {
  /** Undefined if the kind is not served in that version. */
  ofKind(apiVersion: string, kind: string): ObjectRegistry | undefined;
  ofKey(key: string): ObjectRegistry | undefined;
  /** The storage prefix of the resource; empty if it is not served. */
  prefixOf(key: string): string;
}

interface Tables {
  readonly resources: readonly Resource[];
  readonly byKind: ReadonlyMap<string, Resource>;
  readonly byPrefix: ReadonlyMap<string, Resource>;
}

/** The maps are rebuilt whenever resources are added or removed. */
export function resourceMapper(context: ControllerContext): RegistryMapper {
  let tables: Tables | undefined;
  const current = (): Tables => {
    if (tables?.resources !== context.resources) tables = tablesOf(context);
    return tables;
  };
  const prefixOf = (key: string): string => {
    const { byPrefix } = current();
    for (let slash = key.indexOf('/', 1); slash >= 0; slash = key.indexOf('/', slash + 1)) {
      const prefix = key.slice(0, slash);
      if (byPrefix.has(prefix)) return prefix;
    }
    return '';
  };
  return {
    ofKind(apiVersion, kind) {
      const resource = current().byKind.get(`${apiVersion} ${kind}`);
      return resource && context.registryOf(resource);
    },
    ofKey(key) {
      const resource = current().byPrefix.get(prefixOf(key));
      return resource && context.registryOf(resource);
    },
    prefixOf,
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

/**
 * The state of the owner that a reference names. `solid`: it exists. `waiting`: it is deleted in the foreground and waits for
 * its dependents. `dangling`: it does not exist. `unknown`: its kind is not served. `misplaced`: a cluster-scoped object
 * names a namespaced owner.
 */
export type OwnerState = 'solid' | 'waiting' | 'dangling' | 'unknown' | 'misplaced';

/** Looks the owner up by name in the namespace of the dependent; its uid has to match. */
export async function ownerState(reference: OwnerReference, namespace: string, mapper: RegistryMapper): Promise<OwnerState> {
  const registry = mapper.ofKind(reference.apiVersion, reference.kind);
  if (!registry) return 'unknown';
  const namespaced = registry.resource.scope === 'Namespaced';
  if (namespaced && namespace === '') return 'misplaced';
  const entry = await registry.cache.read(`${registry.prefix(namespaced ? namespace : '')}${reference.name}`);
  const metadata: ObjectMeta | undefined = entry && plainMetadata(entry.value);
  if (!metadata || metadata.uid !== reference.uid) return 'dangling';
  return waitsFor(metadata) === 'deletion' ? 'waiting' : 'solid';
}

/** Whether an object with this name and uid exists in any namespace. There are fewer namespaces than objects. */
export async function isInOtherNamespace(
  { name, uid }: OwnerReference,
  registry: ObjectRegistry,
  namespaces: ObjectRegistry,
): Promise<boolean> {
  const { cache, resource } = registry;
  if (resource.scope !== 'Namespaced') return false;
  await cache.fresh();
  await namespaces.cache.fresh();
  for (const { key } of namespaces.cache.range(namespaces.cache.prefix)) {
    const found = cache.peek(`${registry.prefix(nameOfKey(namespaces.resource, key).name)}${name}`);
    if (found && plainMetadata(found.value).uid === uid) return true;
  }
  return false;
}
