import { groupResourceText } from '@tsukube/client';
import type { MetricsProvider } from '../provider/provider.ts';
import { customGroup, customVersions, externalGroup, externalVersions } from './paths.ts';

interface ListedResource {
  readonly name: string;
  readonly singularName: '';
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

/** Content type of aggregated discovery, asked for by aggregators and clients since Kubernetes 1.26. */
export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

export function acceptsAggregated(accept: string | undefined): boolean {
  return accept?.includes('g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList') ?? false;
}

const groups = [
  { name: customGroup, versions: customVersions },
  { name: externalGroup, versions: externalVersions },
] as const;

export function groupList() {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(({ name }) => groupBody(name)) };
}

export function groupOf(name: string) {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(name) };
}

function groupBody(name: string) {
  const found = groups.find((each) => each.name === name);
  const versions = (found?.versions ?? []).map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

export function resourceList(provider: MetricsProvider, group: string, version: string) {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/${version}`,
    resources: resourcesOf(provider, group),
  };
}

/** Metrics are subresources of the objects they describe, external metrics are resources. */
function resourcesOf(provider: MetricsProvider, group: string): ListedResource[] {
  const common = { singularName: '', verbs: ['get'] } as const;
  if (group === externalGroup)
    return provider.externalMetrics().map((name) => ({ name, ...common, namespaced: true, kind: 'ExternalMetricValueList' }));
  return provider.customMetrics().map((metric) => ({
    name: `${groupResourceText(metric)}/${metric.metric}`,
    ...common,
    namespaced: metric.namespaced,
    kind: 'MetricValueList',
  }));
}

/** All groups in one document. */
export function aggregatedDiscovery(provider: MetricsProvider) {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { name, creationTimestamp: null },
      versions: versions.map((version) => ({
        version,
        resources: aggregatedResources(resourcesOf(provider, name), name, version),
        freshness: 'Current',
      })),
    })),
  };
}

/** The parents of metrics are listed without verbs: they are objects of other APIs. */
function aggregatedResources(resources: readonly ListedResource[], group: string, version: string) {
  const parents = new Map<string, { scope: string; subresources: object[] } & Record<string, unknown>>();
  for (const { name, namespaced, kind, verbs } of resources) {
    const [parent = '', metric] = name.split('/');
    const responseKind = { group, version, kind };
    const scope = namespaced ? 'Namespaced' : 'Cluster';
    const isWhole = metric === undefined;
    const known = parents.get(parent) ?? {
      resource: parent,
      responseKind,
      scope,
      singularResource: '',
      verbs: [],
      subresources: [],
    };
    if (isWhole) known.verbs = verbs;
    else known.subresources.push({ subresource: metric, responseKind, verbs });
    parents.set(parent, known);
  }
  return [...parents.values()];
}
