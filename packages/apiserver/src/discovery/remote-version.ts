import { apiVersionOf, type JsonObject } from '@tsukube/machinery';
import type { ApiGroup, ApiVersion } from './api-group.ts';
import { compareVersions, priorityOf } from './priorities.ts';

/** A group version that another server serves. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** In the form of aggregated discovery. */
  readonly resources: readonly JsonObject[];
  /** Whether the server could not be asked. */
  readonly isStale: boolean;
}

/** Adds versions of other servers, which take precedence over own ones, and orders groups and versions by priority. */
export function withRemoteVersions(groups: readonly ApiGroup[], remote: readonly RemoteVersion[]): readonly ApiGroup[] {
  if (remote.length === 0) return groups;
  const byVersion = new Map(remote.map((each) => [apiVersionOf(each), each]));
  const versions = new Map<string, ApiVersion[]>(groups.map(({ name }) => [name, []]));
  for (const version of groups.flatMap((group) => group.versions))
    if (!byVersion.has(version.groupVersion)) versions.get(version.group)?.push(version);
  for (const [groupVersion, { group, version, resources, isStale }] of byVersion) {
    const added = { group, version, groupVersion, resources: [], remote: { resources, isStale } };
    versions.set(group, [...(versions.get(group) ?? []), added]);
  }
  const touched = new Set(remote.map(({ group }) => group));
  const priority = (version: ApiVersion) => prioritiesOf(version, byVersion.get(version.groupVersion));
  const merged = [...versions].map(([name, all]) => ({
    name,
    versions: touched.has(name) ? all.sort(byPriority(priority)) : all,
  }));
  const rank = ({ versions: all }: ApiGroup) => Math.max(...all.map((version) => priority(version).group));
  return merged.sort((a, b) => rank(b) - rank(a) || (a.name < b.name ? -1 : Number(a.name > b.name)));
}

function byPriority(priority: (version: ApiVersion) => { readonly version: number }) {
  return (a: ApiVersion, b: ApiVersion) => priority(b).version - priority(a).version || compareVersions(a.version, b.version);
}

function prioritiesOf({ group, version }: ApiVersion, remote: RemoteVersion | undefined) {
  return remote ? { group: remote.groupPriority, version: remote.versionPriority } : priorityOf(group, version);
}
