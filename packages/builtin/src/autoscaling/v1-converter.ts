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
import { specOf, statusOf } from '../common/objects.ts';
import { readAnnotationList, readAnnotationObject, roundTripAnnotations, withRoundTripAnnotations } from './annotations.ts';
import {
  behaviorToHub,
  behaviorToV1,
  metricSpecToHub,
  metricSpecToV1,
  metricStatusToHub,
  metricStatusToV1,
  omitUndefined,
  withGoFieldNames,
} from './metrics-v1.ts';

const defaultUtilization = 80;

/** v1 has a single metric, CPU utilization. Everything else is carried in annotations. */
export const v1Converter: Converter = { toHub, fromHub };

function fromHub(hub: JsonObject): JsonObject {
  const spec = specOf(hub);
  const status = statusOf(hub);
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: withRoundTripAnnotations(metadataOf(hub), annotationsForV1(spec, status)),
    spec: specFromHub(spec),
    status: statusFromHub(status),
  };
}

function annotationsForV1(spec: JsonObject, status: JsonObject): Readonly<Record<string, string | undefined>> {
  const others = objectsIn(spec, 'metrics').filter((metric) => !isCpuUtilization(metric));
  const behavior = objectIn(spec, 'behavior');
  return {
    [roundTripAnnotations.metrics]: textOf(others.map(metricSpecToV1)),
    [roundTripAnnotations.behavior]: behavior && stringifyJson(behaviorToV1(behavior)),
    [roundTripAnnotations.currentMetrics]: textOf(objectsIn(status, 'currentMetrics').map(metricStatusToV1)),
    [roundTripAnnotations.conditions]: textOf(objectsIn(status, 'conditions')),
  };
}

function textOf(list: readonly JsonObject[]): string | undefined {
  return list.length === 0 ? undefined : stringifyJson(list as JsonValue[]);
}

function isCpuUtilization(metric: JsonObject): boolean {
  return utilizationOf(metric) !== undefined;
}

/** The CPU utilization target; undefined for all other metrics. */
function utilizationOf(metric: JsonObject): JsonValue | undefined {
  return isCpu(metric) ? objectIn(objectIn(metric, 'resource'), 'target')?.averageUtilization : undefined;
}

function isCpu(metric: JsonObject): boolean {
  return metric.type === 'Resource' && textIn(objectIn(metric, 'resource'), 'name') === 'cpu';
}

function specFromHub({ scaleTargetRef, minReplicas, maxReplicas, metrics }: JsonObject): JsonObject {
  const cpu = objectsIn({ metrics: metrics ?? null }, 'metrics').find(isCpuUtilization);
  return {
    scaleTargetRef: scaleTargetRef ?? {},
    ...omitUndefined({ minReplicas }),
    maxReplicas: maxReplicas ?? 0,
    ...omitUndefined({ targetCPUUtilizationPercentage: cpu && utilizationOf(cpu) }),
  };
}

function statusFromHub(status: JsonObject): JsonObject {
  const { observedGeneration, lastScaleTime } = status;
  const readings = objectsIn(status, 'currentMetrics')
    .filter(isCpu)
    .map((metric) => objectIn(objectIn(metric, 'resource'), 'current')?.averageUtilization)
    .filter((utilization) => utilization !== undefined);
  return {
    ...omitUndefined({ observedGeneration, lastScaleTime }),
    currentReplicas: numberIn(status, 'currentReplicas'),
    desiredReplicas: numberIn(status, 'desiredReplicas'),
    ...omitUndefined({ currentCPUUtilizationPercentage: readings.at(-1) }),
  };
}

function toHub(object: JsonObject): JsonObject {
  const metadata = objectIn(object, 'metadata') ?? {};
  return {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: withRoundTripAnnotations(metadata, {}),
    spec: specToHub(specOf(object), metadata),
    status: statusToHub(statusOf(object), metadata),
  };
}

function specToHub(spec: JsonObject, metadata: JsonObject): JsonObject {
  const others = (readAnnotationList(metadata, roundTripAnnotations.metrics, 'MetricSpecs') ?? []).map(metricSpecToHub);
  const utilization = spec.targetCPUUtilizationPercentage ?? (others.length === 0 ? defaultUtilization : undefined);
  const behavior = readAnnotationObject(metadata, roundTripAnnotations.behavior, 'Behavior', withGoFieldNames);
  return {
    scaleTargetRef: spec.scaleTargetRef ?? { kind: '', name: '' },
    ...omitUndefined({ minReplicas: spec.minReplicas }),
    maxReplicas: spec.maxReplicas ?? 0,
    metrics: utilization === undefined ? others : [...others, cpuTarget(utilization)],
    ...omitUndefined({ behavior: behavior && behaviorToHub(behavior) }),
  };
}

function cpuTarget(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function statusToHub(status: JsonObject, metadata: JsonObject): JsonObject {
  const { observedGeneration, lastScaleTime, currentReplicas } = status;
  const conditions = readAnnotationList(metadata, roundTripAnnotations.conditions, 'Conditions');
  return {
    ...omitUndefined({ observedGeneration, lastScaleTime, currentReplicas: currentReplicas || undefined }),
    desiredReplicas: numberIn(status, 'desiredReplicas'),
    currentMetrics: currentMetrics(status, metadata),
    ...omitUndefined({ conditions: conditions?.length ? [...conditions] : undefined }),
  };
}

/** From the annotation, which is complete; otherwise from the field, which only has the CPU utilization. */
function currentMetrics(status: JsonObject, metadata: JsonObject): JsonValue {
  const annotated = readAnnotationList(metadata, roundTripAnnotations.currentMetrics, 'MetricStatuses')?.map(metricStatusToHub);
  if (annotated) return annotated.length === 0 ? null : annotated;
  const utilization = status.currentCPUUtilizationPercentage;
  if (utilization === undefined) return null;
  return [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: utilization } } }];
}
