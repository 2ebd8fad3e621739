import { type ApiObject, type DiscoveredResource, groupResourceText, type KubeClient } from '@tsukube/client';
import {
  type LabelSelector,
  type PathHandler,
  type PathRequest,
  parseLabelSelector,
  StatusError,
  SubresourceResponse,
} from '@tsukube/sdk';
import type { CustomMetricValue, MetricsProvider } from '../provider/provider.ts';
import type { ResourceMapper } from '../provider/resource-mapper.ts';
import { acceptsAggregated, aggregatedDiscovery, aggregatedType, groupList, groupOf, resourceList } from './discovery.ts';
import { allObjects, customGroup, externalGroup, type MetricsPath, parseMetricsPath } from './paths.ts';

export interface MetricsApiParts {
  readonly provider: MetricsProvider;
  readonly resources: ResourceMapper;
  readonly client: KubeClient;
}

type CustomPath = Extract<MetricsPath, { at: 'custom' }>;
type ExternalPath = Extract<MetricsPath, { at: 'external' }>;

/** Serves custom.metrics.k8s.io and external.metrics.k8s.io, whose paths are not those of resources. */
export function metricsHandler(parts: MetricsApiParts): PathHandler {
  return (request) => {
    const path = parseMetricsPath(request.path);
    if (path === undefined) return false;
    if (request.method !== 'GET' && request.method !== 'HEAD') throw StatusError.methodNotAllowed();
    switch (path.at) {
      case 'groups':
        return groups(parts.provider, request);
      case 'group':
        return groupOf(path.group);
      case 'version':
        return resourceList(parts.provider, path.group, path.version);
      case 'custom':
        return customMetrics(parts, path, request);
      case 'external':
        return externalMetrics(parts, path, request);
      case 'nowhere':
        throw StatusError.pathNotFound();
    }
  };
}

function groups(provider: MetricsProvider, request: PathRequest) {
  if (!acceptsAggregated(request.header('accept'))) return groupList();
  return new SubresourceResponse(JSON.stringify(aggregatedDiscovery(provider)), { type: aggregatedType });
}

async function customMetrics({ provider, resources, client }: MetricsApiParts, path: CustomPath, request: PathRequest) {
  const selector = parseLabelSelector(request.query.get('metricLabelSelector') ?? '');
  const labelSelector = parseLabelSelector(request.query.get('labelSelector') ?? '');
  const resource = await resources.find(path.resource);
  if (resource === undefined || resource.namespaced !== (path.namespace !== undefined)) throw noMetric(path);
  const isForAll = path.name === allObjects;
  const names = isForAll ? await namesOf(client, resource, path.namespace, labelSelector, request.signal) : [path.name];
  const { group, plural, namespaced } = resource;
  const query = { group, resource: plural, namespaced, metric: path.metric, namespace: path.namespace, names, selector };
  const values = names.length === 0 ? [] : await provider.customValues({ ...query, signal: request.signal });
  if (!isForAll && values.length === 0) throw noMetric(path, selector);
  return {
    kind: 'MetricValueList',
    apiVersion: `${customGroup}/${path.version}`,
    metadata: {},
    items: values.map((value) => metricValue(value, resource, path, selector)),
  };
}

/** The names of the objects that a selector matches. */
async function namesOf(
  client: KubeClient,
  resource: DiscoveredResource,
  namespace: string | undefined,
  selector: LabelSelector,
  signal: AbortSignal,
): Promise<string[]> {
  const api = client.resource<ApiObject>(resource, { namespace });
  const names: string[] = [];
  for await (const { items } of api.pages({ labelSelector: selector.toString() || undefined, signal }))
    for (const { metadata } of items) names.push(metadata.name ?? '');
  return names;
}

function metricValue(value: CustomMetricValue, resource: DiscoveredResource, path: CustomPath, selector: LabelSelector) {
  const { group, version, kind } = resource;
  const describedObject = {
    kind,
    ...(path.namespace !== undefined && { namespace: path.namespace }),
    name: value.name,
    apiVersion: group === '' ? version : `${group}/${version}`,
  };
  const measured = { timestamp: timeText(value.timestampMs), value: value.value };
  const selected = selector.everything ? null : labelSelectorObject(selector);
  const { windowSeconds } = value;
  if (path.version === 'v1beta1')
    return {
      describedObject,
      metricName: path.metric,
      ...measured,
      ...(windowSeconds !== undefined && { window: windowSeconds }),
      selector: selected,
    };
  return {
    describedObject,
    metric: { name: path.metric, selector: selected },
    ...measured,
    ...(windowSeconds !== undefined && { windowSeconds }),
  };
}

async function externalMetrics({ provider }: MetricsApiParts, { namespace, metric }: ExternalPath, request: PathRequest) {
  const selector = parseLabelSelector(request.query.get('labelSelector') ?? '');
  const values = await provider.externalValues({ namespace, metric, selector, signal: request.signal });
  return {
    kind: 'ExternalMetricValueList',
    apiVersion: `${externalGroup}/v1beta1`,
    metadata: {},
    items: values.map(({ labels, timestampMs, windowSeconds, value }) => ({
      metricName: metric,
      metricLabels: labels,
      timestamp: timeText(timestampMs),
      ...(windowSeconds !== undefined && { window: windowSeconds }),
      value,
    })),
  };
}

/** The message of custom-metrics-apiserver. */
function noMetric({ metric, resource, name }: CustomPath, selector?: LabelSelector): StatusError {
  const selected = selector === undefined || selector.everything ? '' : ` with selector ${selector}`;
  const message = `the server could not find the metric ${metric} for ${groupResourceText(resource)} ${name}${selected}`;
  return new StatusError({ status: 'Failure', message, reason: 'NotFound', code: 404 });
}

const operators = { in: 'In', notin: 'NotIn', '!=': 'NotIn', exists: 'Exists', '!': 'DoesNotExist' } as const;

/** A metav1.LabelSelector. */
function labelSelectorObject({ requirements }: LabelSelector) {
  const matchLabels: Record<string, string> = {};
  const matchExpressions: object[] = [];
  for (const { key, operator, values } of requirements) {
    if (operator === '=' || operator === '==') matchLabels[key] = values[0] ?? '';
    else if (operator === 'gt' || operator === 'lt') throw StatusError.badRequest('metrics cannot be selected by comparison');
    else matchExpressions.push({ key, operator: operators[operator], ...(values.length > 0 && { values }) });
  }
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
