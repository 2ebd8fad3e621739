import type { Converter } from '@tsukube/apiserver';
import {
  type JsonObject,
  type JsonValue,
  metadataOf,
  numberIn,
  objectIn,
  objectsIn,
  stringifyJson,
  textIn,
} from '@tsukube/machinery';
import { specOf, statusOf } from '../common/spec.ts';
import { kept, readKeptList, readKeptObject, withKept } from './annotations.ts';
import { behaviorToHub, behaviorToV1, withGoNames } from './behavior-v1.ts';
import { given, metricSpecToHub, metricSpecToV1, metricStatusToHub, metricStatusToV1 } from './metrics-v1.ts';

const defaultUtilization = 80;

/** v1 knows one metric, the utilization of CPUs. Everything else is kept in annotations. */
export const v1Converter: Converter = { toHub, fromHub };

function fromHub(hub: JsonObject): JsonObject {
  const spec = specOf(hub);
  const status = statusOf(hub);
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: withKept(metadataOf(hub), whatV1CannotSay(spec, status)),
    spec: specFromHub(spec),
    status: statusFromHub(status),
  };
}

function whatV1CannotSay(spec: JsonObject, status: JsonObject): Readonly<Record<string, string | undefined>> {
  const others = objectsIn(spec, 'metrics').filter((metric) => !isCpuUtilization(metric));
  const behavior = objectIn(spec, 'behavior');
  return {
    [kept.metrics]: textOf(others.map(metricSpecToV1)),
    [kept.behavior]: behavior && stringifyJson(behaviorToV1(behavior)),
    [kept.currentMetrics]: textOf(objectsIn(status, 'currentMetrics').map(metricStatusToV1)),
    [kept.conditions]: textOf(objectsIn(status, 'conditions')),
  };
}

function textOf(list: readonly JsonObject[]): string | undefined {
  return list.length === 0 ? undefined : stringifyJson(list as JsonValue[]);
}

function isCpuUtilization(metric: JsonObject): boolean {
  return utilizationOf(metric) !== undefined;
}

/** The target, if the metric is one that v1 knows. */
function utilizationOf(metric: JsonObject): JsonValue | undefined {
  return isCpu(metric) ? objectIn(objectIn(metric, 'resource'), 'target')?.averageUtilization : undefined;
}

function isCpu(metric: JsonObject): boolean {
  return metric.type === 'Resource' && textIn(objectIn(metric, 'resource'), 'name') === 'cpu';
}

function specFromHub({ scaleTargetRef, minReplicas, maxReplicas, metrics }: JsonObject): JsonObject {
  const known = objectsIn({ metrics: metrics ?? null }, 'metrics').find(isCpuUtilization);
  return {
    scaleTargetRef: scaleTargetRef ?? {},
    ...given({ minReplicas }),
    maxReplicas: maxReplicas ?? 0,
    ...given({ targetCPUUtilizationPercentage: known && utilizationOf(known) }),
  };
}

function statusFromHub(status: JsonObject): JsonObject {
  const { observedGeneration, lastScaleTime } = status;
  const readings = objectsIn(status, 'currentMetrics')
    .filter(isCpu)
    .map((metric) => objectIn(objectIn(metric, 'resource'), 'current')?.averageUtilization)
    .filter((utilization) => utilization !== undefined);
  return {
    ...given({ observedGeneration, lastScaleTime }),
    currentReplicas: numberIn(status, 'currentReplicas'),
    desiredReplicas: numberIn(status, 'desiredReplicas'),
    ...given({ currentCPUUtilizationPercentage: readings.at(-1) }),
  };
}

function toHub(object: JsonObject): JsonObject {
  const metadata = objectIn(object, 'metadata') ?? {};
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: withKept(metadata, {}),
    spec: specToHub(specOf(object), metadata),
    status: statusToHub(statusOf(object), metadata),
  };
}

function specToHub(spec: JsonObject, metadata: JsonObject): JsonObject {
  const others = (readKeptList(metadata, kept.metrics, 'MetricSpecs') ?? []).map(metricSpecToHub);
  const utilization = spec.targetCPUUtilizationPercentage ?? (others.length === 0 ? defaultUtilization : undefined);
  const behavior = readKeptObject(metadata, kept.behavior, 'Behavior', withGoNames);
  return {
    scaleTargetRef: spec.scaleTargetRef ?? { kind: '', name: '' },
    ...given({ minReplicas: spec.minReplicas }),
    maxReplicas: spec.maxReplicas ?? 0,
    metrics: utilization === undefined ? others : [...others, cpuTarget(utilization)],
    ...given({ behavior: behavior && behaviorToHub(behavior) }),
  };
}

function cpuTarget(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function statusToHub(status: JsonObject, metadata: JsonObject): JsonObject {
  const { observedGeneration, lastScaleTime, currentReplicas } = status;
  const conditions = readKeptList(metadata, kept.conditions, 'Conditions');
  return {
    ...given({ observedGeneration, lastScaleTime, currentReplicas: currentReplicas || undefined }),
    desiredReplicas: numberIn(status, 'desiredReplicas'),
    currentMetrics: currentMetrics(status, metadata),
    ...given({ conditions: conditions?.length ? (conditions as JsonObject[]) : undefined }),
  };
}

/** The annotation knows more than the field. */
function currentMetrics(status: JsonObject, metadata: JsonObject): JsonValue {
  const known = readKeptList(metadata, kept.currentMetrics, 'MetricStatuses')?.map(metricStatusToHub);
  if (known) return known.length === 0 ? null : known;
  const utilization = status.currentCPUUtilizationPercentage;
  if (utilization === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
}
