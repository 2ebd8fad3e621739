import { type BuiltinType, builtinTypes, parseTypeLine } from '@tsukube/api';
import {
  checkObject,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  mapIn,
  objectsIn,
  parseJson,
  type TypeCatalogue,
} from '@tsukube/machinery';
import { sortedMap } from '../common/objects.ts';

const domain = 'autoscaling.alpha.kubernetes.io';

/** Annotations that hold fields which older versions lack. */
export const roundTripAnnotations = {
  metrics: `${domain}/metrics`,
  behavior: `${domain}/behavior`,
  currentMetrics: `${domain}/current-metrics`,
  conditions: `${domain}/conditions`,
} as const;

const allAnnotations: ReadonlySet<string> = new Set([
  ...Object.values(roundTripAnnotations),
  `${domain}/scale-down-tolerance`,
  `${domain}/scale-up-tolerance`,
]);

/** A copy of metadata with the round-trip annotations replaced by `values`. */
export function withRoundTripAnnotations(metadata: JsonObject, values: Readonly<Record<string, string | undefined>>): JsonObject {
  const annotations = new Map(Object.entries(mapIn(metadata, 'annotations')).filter(([name]) => !allAnnotations.has(name)));
  for (const [name, value] of Object.entries(values)) if (value !== undefined) annotations.set(name, value);
  const { annotations: _, ...rest } = metadata;
  if (annotations.size === 0) return rest;
  return { ...rest, annotations: sortedMap(annotations) };
}

export function hasRoundTripAnnotations(metadata: JsonObject): boolean {
  return Object.keys(mapIn(metadata, 'annotations')).some((name) => allAnnotations.has(name));
}

/** The list in an annotation; undefined if it is absent or malformed. */
export function readAnnotationList(metadata: JsonObject, name: string, type: string): readonly JsonObject[] | undefined {
  const items = parse(metadata, name);
  if (items === undefined) return undefined;
  const checked = check({ items }, type);
  return checked && objectsIn(checked, 'items');
}

/** The object in an annotation; undefined if it is absent or malformed. */
export function readAnnotationObject(
  metadata: JsonObject,
  name: string,
  type: string,
  prepare: (value: JsonValue) => JsonValue,
): JsonObject | undefined {
  const value = prepare(parse(metadata, name) ?? null);
  return isObject(value) ? check(value, type) : undefined;
}

function parse(metadata: JsonObject, name: string): JsonValue | undefined {
  const text = mapIn(metadata, 'annotations')[name];
  if (text === undefined) return undefined;
  try {
    return parseJson(Buffer.from(text)).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function check(value: JsonObject, type: string): JsonObject | undefined {
  const checked = checkObject(value, metricTypes.get(metricType(type)), metricTypes);
  return checked.error === undefined ? checked.value : undefined;
}

/** Types of the metrics in annotations of autoscaling/v1, which are in no current schema. */
const lines = `MetricSpecs: items - []MetricSpec
MetricSpec: type - string ! =; object - ObjectMetricSource; pods - PodsMetricSource; resource - ResourceMetricSource; containerResource - ContainerResourceMetricSource; external - ExternalMetricSource
ObjectMetricSource: target - CrossVersionObjectReference ! =; metricName - string ! =; targetValue - quantity ! =; selector - meta.v1.LabelSelector; averageValue - quantity
PodsMetricSource: metricName - string ! =; targetAverageValue - quantity ! =; selector - meta.v1.LabelSelector
ResourceMetricSource: name - string ! =; targetAverageUtilization - int32; targetAverageValue - quantity
ContainerResourceMetricSource: name - string ! =; targetAverageUtilization - int32; targetAverageValue - quantity; container - string ! =
ExternalMetricSource: metricName - string ! =; metricSelector - meta.v1.LabelSelector; targetValue - quantity; targetAverageValue - quantity
MetricStatuses: items - []MetricStatus
MetricStatus: type - string ! =; object - ObjectMetricStatus; pods - PodsMetricStatus; resource - ResourceMetricStatus; containerResource - ContainerResourceMetricStatus; external - ExternalMetricStatus
ObjectMetricStatus: target - CrossVersionObjectReference ! =; metricName - string ! =; currentValue - quantity ! =; selector - meta.v1.LabelSelector; averageValue - quantity
PodsMetricStatus: metricName - string ! =; currentAverageValue - quantity ! =; selector - meta.v1.LabelSelector
ResourceMetricStatus: name - string ! =; currentAverageUtilization - int32; currentAverageValue - quantity ! =
ContainerResourceMetricStatus: name - string ! =; currentAverageUtilization - int32; currentAverageValue - quantity ! =; container - string ! =
ExternalMetricStatus: metricName - string ! =; metricSelector - meta.v1.LabelSelector; currentValue - quantity ! =; currentAverageValue - quantity
Conditions: items - []autoscaling.v2.HorizontalPodAutoscalerCondition
Behavior: ScaleUp - ScalingRules; ScaleDown - ScalingRules
ScalingRules: StabilizationWindowSeconds - int32; SelectPolicy - string; Policies - []ScalingPolicy; Tolerance - quantity
ScalingPolicy: Type - string ! =; Value - int32 ! =; PeriodSeconds - int32 ! =`;

const prefix = 'io.k8s.api.autoscaling.v1';
const packages: Readonly<Record<string, string>> = {
  'meta.v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'autoscaling.v2': 'io.k8s.api.autoscaling.v2',
};

function readTypes(): ReadonlyMap<string, BuiltinType> {
  const context = { package: prefix, groupVersion: '', everywhere: [], packageOf: (alias: string) => packages[alias] ?? alias };
  const types = lines.split('\n').map((line) => parseTypeLine(line, context));
  return new Map(types.map((type) => [type.name, type]));
}

let annotationTypes: ReadonlyMap<string, BuiltinType> | undefined;

/** The types above and the built-in ones. */
const metricTypes: TypeCatalogue = {
  get(name) {
    annotationTypes ??= readTypes();
    return annotationTypes.get(name) ?? builtinTypes.get(name);
  },
};

/** The full name of a type above. */
function metricType(name: string): string {
  return `${prefix}.${name}`;
}
