import type { GroupVersionKind, JsonObject } from '@tsukube/machinery';
import { acceptClauses, acceptsMediaType } from '../http/accept.ts';
import { type MediaType, mediaTypes } from '../http/negotiation.ts';
import type { ApiGroup, ApiResource, ApiSubresource, ApiVersion } from './api-group.ts';

/** Aggregated discovery: all groups and versions in one document. */
export interface AggregatedForm {
  readonly mediaType: MediaType;
  readonly version: AggregatedVersion;
}

export type AggregatedVersion = 'v2' | 'v2beta1';

/** The aggregated form that an Accept header asks for, at any position. */
export function aggregatedForm(accept: string): AggregatedForm | undefined {
  if (!accept.includes('apidiscovery.k8s.io')) return undefined;
  for (const clause of acceptClauses(accept)) {
    const mediaType = mediaTypes.find((type) => acceptsMediaType(clause, type));
    const { parameters } = clause;
    const version = parameters.get('v');
    const asked = parameters.get('g') === 'apidiscovery.k8s.io' && parameters.get('as') === 'APIGroupDiscoveryList';
    if (mediaType && asked && (version === 'v2' || version === 'v2beta1')) return { mediaType, version };
  }
  return undefined;
}

export function aggregatedMediaType({ mediaType, version }: AggregatedForm): string {
  return `${mediaType};g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

/** v2 and v2beta1 differ only in their name. */
export function aggregatedDocument(groups: readonly ApiGroup[], version: AggregatedVersion): JsonObject {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(describeGroup),
  };
}

function describeGroup({ name, versions }: ApiGroup): JsonObject {
  return { metadata: name === '' ? {} : { name }, versions: versions.map(describeVersion) };
}

function describeVersion({ version, resources, remote }: ApiVersion): JsonObject {
  if (remote) {
    const listed = remote.resources.length > 0 && { resources: [...remote.resources] };
    return { version, ...listed, freshness: remote.isStale ? 'Stale' : 'Current' };
  }
  return { version, resources: resources.map(describeResource), freshness: 'Current' };
}

function describeResource({ name, resource, kind, verbs, shortNames, categories, subresources }: ApiResource): JsonObject {
  return {
    resource: name,
    responseKind: responseKind(kind, kind),
    scope: resource.scope,
    singularResource: resource.names.singular,
    verbs: [...verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(subresources.length > 0 && { subresources: subresources.map((subresource) => describeSubresource(subresource, kind)) }),
  };
}

function describeSubresource({ name, kind, verbs }: ApiSubresource, parent: GroupVersionKind): JsonObject {
  return { subresource: name, responseKind: responseKind(kind, parent), verbs: [...verbs] };
}

/** Group and version are empty if they equal those of the document. */
function responseKind({ group, version, kind }: GroupVersionKind, parent: GroupVersionKind): JsonObject {
  const same = group === parent.group && version === parent.version;
  return { group: same ? '' : group, version: same ? '' : version, kind };
}
