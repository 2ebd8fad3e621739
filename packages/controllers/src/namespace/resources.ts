import { type CacheEntry, compareVersions, decodeObject, type ObjectRegistry, type Resource } from '@tsukube/apiserver';
import { objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { type ControllerContext, registryNamed } from '../controller.ts';
import { discoverRemote, inPreferredVersion, type RemoteResource } from './remote-resources.ts';

/** A kind of objects in namespaces, with the names under which discovery lists it. */
export interface NamespacedResource {
  readonly registry: ObjectRegistry;
  /** `resource.group`, for each group that serves it. */
  readonly names: readonly string[];
  /** A GroupVersionResource as client-go formats it. */
  readonly qualified: string;
}

/** All namespaced resources whose objects can be deleted, in their preferred version, as kube-controller-manager discovers them. */
export function namespacedResources({ resources, registryOf }: ControllerContext): readonly NamespacedResource[] {
  const preferred = new Map<string, Resource>();
  for (const resource of resources) {
    if (resource.scope !== 'Namespaced' || !resource.verbs.delete) continue;
    const place = resource.storagePrefix || resource.names.plural;
    const known = preferred.get(place);
    if (!known || compareVersions(resource.hub.version, known.hub.version) < 0) preferred.set(place, resource);
  }
  return [...preferred.values()].flatMap((resource) => {
    const registry = registryOf(resource);
    return registry ? [namesOf(resource, registry)] : [];
  });
}

function namesOf({ names: { plural }, hub, versions }: Resource, registry: ObjectRegistry): NamespacedResource {
  const groups = new Set([hub, ...versions].map(({ group }) => group));
  return {
    registry,
    names: [...groups].map((group) => `${plural}.${group}`),
    qualified: `${hub.group}/${hub.version}, Resource=${plural}`,
  };
}

export function isPodResource({ registry: { resource } }: NamespacedResource): boolean {
  return resource.names.plural === 'pods' && resource.hub.group === '';
}

/** Aggregated APIs: the resources of those that answer, and GROUP/VERSION of the others. */
export interface RemoteDiscovery {
  readonly resources: readonly RemoteResource[];
  readonly stale: readonly string[];
}

export async function discoverRemotes(context: ControllerContext): Promise<RemoteDiscovery> {
  if (!context.resources.some(({ names }) => names.plural === 'apiservices')) return { resources: [], stale: [] };
  const { cache } = registryNamed(context, 'apiservices');
  const { entries } = await cache.list(cache.prefix);
  const found: RemoteResource[] = [];
  const stale: string[] = [];
  for (const { group, version, isAvailable } of entries.flatMap(remoteVersionOf)) {
    const resources = isAvailable ? await discoverRemote(group, version, context).catch(() => undefined) : undefined;
    if (resources) found.push(...resources);
    else stale.push(`${group}/${version}`);
  }
  return { resources: inPreferredVersion(found), stale };
}

interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly isAvailable: boolean;
}

function remoteVersionOf({ value }: CacheEntry): readonly RemoteVersion[] {
  if (!value.includes('"service":{')) return [];
  const object = decodeObject(value);
  const spec = objectIn(object, 'spec');
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const isAvailable = conditions.some(({ type, status }) => type === 'Available' && status === 'True');
  return objectIn(spec, 'service') ? [{ group: textIn(spec, 'group'), version: textIn(spec, 'version'), isAvailable }] : [];
}
