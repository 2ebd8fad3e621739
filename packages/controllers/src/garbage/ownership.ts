import { type ObjectRegistry, plainMetadata } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import type { Directory } from './directory.ts';
import { waitsFor } from './observer.ts';
import type { OwnerReference } from './owner-graph.ts';

/**
 * What is behind a reference. `solid`: its owner is there. `waiting`: it is, but only until its dependents are gone.
 * `dangling`: it is not. `unknown`: nothing of that kind is served now. `misplaced`: an object outside namespaces cannot
 * belong to one in a namespace.
 */
export type Standing = 'solid' | 'waiting' | 'dangling' | 'unknown' | 'misplaced';

/** A reference means the object of that name in the namespace of who refers, and only if it has that uid. */
export async function standingOf(reference: OwnerReference, namespace: string, directory: Directory): Promise<Standing> {
  const registry = directory.ofKind(reference.apiVersion, reference.kind);
  if (!registry) return 'unknown';
  const namespaced = registry.resource.scope === 'Namespaced';
  if (namespaced && namespace === '') return 'misplaced';
  const entry = await registry.cache.read(`${registry.prefix(namespaced ? namespace : '')}${reference.name}`);
  const metadata = entry && plainMetadata(entry.value);
  if (metadata?.uid !== reference.uid) return 'dangling';
  return waitsFor(metadata as JsonObject) === 'deletion' ? 'waiting' : 'solid';
}

/** Whether an object of this name and uid is in some other namespace than the one in which it was looked for. */
export async function isElsewhere({ name, uid }: OwnerReference, registry: ObjectRegistry): Promise<boolean> {
  const { cache, resource } = registry;
  if (resource.scope !== 'Namespaced') return false;
  await cache.fresh();
  const ending = `/${name}`;
  return cache.slice(cache.prefix).some(({ key, value }) => key.endsWith(ending) && plainMetadata(value).uid === uid);
}
