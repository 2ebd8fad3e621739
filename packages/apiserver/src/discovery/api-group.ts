import { apiVersionOf, type GroupVersionKind, type JsonObject } from '@tsukube/machinery';
import type { Resource, ServedVersion, Subresource, Verbs } from '../registry/resource.ts';
import { compareGroups, compareVersionsOf } from './priorities.ts';

/** An API group with its served versions, in order of priority. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly ApiVersion[];
}

export interface ApiVersion {
  readonly group: string;
  readonly version: string;
  /** v1, apps/v1 */
  readonly groupVersion: string;
  /** Sorted by name. */
  readonly resources: readonly ApiResource[];
  /** Set if another server serves the version: its resources in the form of aggregated discovery. */
  readonly remote?: { readonly resources: readonly JsonObject[]; readonly isStale: boolean };
}

export interface ApiResource {
  readonly name: string;
  readonly resource: Resource;
  readonly served: ServedVersion;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
  /** Empty for a legacy version where a current version has them: a client resolves each name once. */
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Sorted by name. */
  readonly subresources: readonly ApiSubresource[];
}

export interface ApiSubresource {
  readonly name: string;
  readonly subresource: Subresource;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export function apiGroupsOf(resources: readonly Resource[]): readonly ApiGroup[] {
  const groups = new Map<string, Map<string, ApiResource[]>>();
  for (const resource of resources) {
    for (const served of resource.versions) {
      const versions = entryOf(groups, served.group, () => new Map<string, ApiResource[]>());
      entryOf(versions, served.version, () => []).push(apiResource(resource, served));
    }
  }
  const names = [...groups.keys()].sort(compareGroups);
  return names.map((name) => ({ name, versions: apiVersions(name, groups.get(name) ?? new Map()) }));
}

function apiVersions(group: string, versions: ReadonlyMap<string, ApiResource[]>): readonly ApiVersion[] {
  const isLegacy = (version: string) => Number(versions.get(version)?.every(({ served }) => served.legacy) ?? false);
  const byPriority = compareVersionsOf(group);
  const legacyLast = (a: string, b: string) => isLegacy(a) - isLegacy(b) || byPriority(a, b);
  return [...versions.keys()].sort(legacyLast).map((version) => ({
    group,
    version,
    groupVersion: apiVersionOf({ group, version }),
    resources: (versions.get(version) ?? []).sort(byName),
  }));
}

function entryOf<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

function apiResource(resource: Resource, served: ServedVersion): ApiResource {
  const kind = { group: served.group, version: served.version, kind: resource.names.kind };
  const found = Object.entries(resource.subresources ?? {}).map(([name, subresource]) => apiSubresource(name, subresource, kind));
  const superseded = served.legacy && resource.versions.some(({ legacy }) => !legacy);
  const { shortNames = [], categories = [] } = superseded ? {} : resource.names;
  return {
    name: resource.names.plural,
    resource,
    served,
    kind,
    verbs: resource.announcedVerbs ?? verbsOf(resource.verbs),
    shortNames,
    categories,
    subresources: resource.announcedVerbs ? found : found.sort(byName),
  };
}

function apiSubresource(name: string, subresource: Subresource, parent: GroupVersionKind): ApiSubresource {
  return { name, subresource, kind: subresource.kind ?? parent, verbs: verbsOf(subresource.verbs, subresource.connectMethods) };
}

const verbOfMethod: Readonly<Record<string, string>> = {
  get: 'get',
  post: 'create',
  put: 'update',
  patch: 'patch',
  delete: 'delete',
};

function verbsOf(verbs: Verbs, connectMethods: readonly string[] = []): readonly string[] {
  const named = Object.entries(verbs).flatMap(([verb, handler]) => (handler !== undefined && verb !== 'connect' ? [verb] : []));
  const connecting = verbs.connect ? connectMethods.flatMap((method) => verbOfMethod[method] ?? []) : [];
  return [...new Set([...named, ...connecting])].sort();
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}
