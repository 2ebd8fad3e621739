import { createHash } from 'node:crypto';
import { apiVersionOf, type GroupVersionKind, type JsonObject } from '@tsukube/machinery';
import type { Resource } from '../registry/resource.ts';
import type { ApiGroup, ApiResource, ApiVersion } from './api-group.ts';

/** /api */
export function apiVersions(core: ApiGroup | undefined, serverAddress: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: (core?.versions ?? []).map(({ version }) => version),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** /apis */
export function apiGroupList(groups: readonly ApiGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

/** /apis/GROUP */
export function apiGroup(group: ApiGroup): JsonObject {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

function describeGroup(group: ApiGroup): JsonObject {
  const versions = group.versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group.name, versions, ...(versions[0] && { preferredVersion: versions[0] }) };
}

/** /api/VERSION and /apis/GROUP/VERSION; only the latter has an apiVersion. */
export function apiResourceList({ group, groupVersion, resources }: ApiVersion): JsonObject {
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion,
    resources: resources.flatMap((resource) => [describeResource(resource), ...describeSubresources(resource)]),
  };
}

function describeResource({ name, resource, kind, verbs, shortNames, categories }: ApiResource): JsonObject {
  return {
    name,
    singularName: resource.names.singular,
    namespaced: resource.scope === 'Namespaced',
    kind: kind.kind,
    verbs: [...verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(resource.storagePrefix !== '' && { storageVersionHash: storageVersionHash(resource) }),
  };
}

function describeSubresources({ name, resource, kind: parent, subresources }: ApiResource): JsonObject[] {
  return subresources.map((subresource) => ({
    name: `${name}/${subresource.name}`,
    singularName: '',
    namespaced: resource.scope === 'Namespaced',
    ...foreignVersion(subresource.kind, parent),
    kind: subresource.kind.kind,
    verbs: [...subresource.verbs],
  }));
}

/** Group and version, if they differ from those of the list. */
function foreignVersion({ group, version }: GroupVersionKind, parent: GroupVersionKind): JsonObject {
  return apiVersionOf({ group, version }) === apiVersionOf(parent) ? {} : { group, version };
}

/** Changes when the storage version changes. */
function storageVersionHash({ hub, names, hashedVersion = hub.version }: Resource): string {
  const digest = createHash('sha256').update(`${hub.group}/${hashedVersion}/${names.kind}`).digest();
  return digest.subarray(0, 8).toString('base64');
}
