import type { metaV1 } from '@tsukube/api/kinds';
import type { GroupVersionKind } from '@tsukube/machinery';
import type { ApiClient, CallOptions } from './api-client.ts';
import { isNotFound } from './api-error.ts';
import type { ResourceName } from './resource-name.ts';

/** A resource as the server describes it. */
export interface DiscoveredResource extends ResourceName {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
}

/** Resources of a group and version, without subresources. Empty if the server does not have the version. */
export async function discover(
  client: ApiClient,
  group: string,
  version: string,
  options: CallOptions = {},
): Promise<DiscoveredResource[]> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    const { resources } = await client.json<metaV1.APIResourceList>({ ...options, method: 'GET', path });
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced, verbs, shortNames = [] }) => ({
        group,
        version,
        plural: name,
        kind,
        namespaced,
        verbs,
        shortNames,
      }));
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** The resource of a kind; undefined if the server does not have it. */
export async function resourceOfKind(
  client: ApiClient,
  { group, version, kind }: GroupVersionKind,
  options: CallOptions = {},
): Promise<DiscoveredResource | undefined> {
  const resources = await discover(client, group, version, options);
  return resources.find((each) => each.kind === kind);
}

interface GroupList {
  readonly groups: readonly metaV1.APIGroup[];
}

/** The preferred version of every group: `v1`, `apps/v1`, … */
export async function preferredVersions(client: ApiClient, options: CallOptions = {}): Promise<string[]> {
  const { groups } = await client.json<GroupList>({ ...options, method: 'GET', path: '/apis' });
  const preferred = groups.map(({ preferredVersion, versions }) => (preferredVersion ?? versions[0])?.groupVersion);
  return ['v1', ...preferred.filter((each) => each !== undefined)];
}
