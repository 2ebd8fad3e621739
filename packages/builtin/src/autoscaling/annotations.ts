import { type BuiltinType, builtinTypes, parseTypeLine } from '@tsukube/api';
import {
  checkObject,
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  mapIn,
  parseJson,
  setKey,
  type TypeCatalogue,
} from '@tsukube/machinery';

const domain = 'autoscaling.alpha.kubernetes.io';

/** Where versions that cannot say something keep it. */
export const kept = {
  metrics: `${domain}/metrics`,
  behavior: `${domain}/behavior`,
  currentMetrics: `${domain}/current-metrics`,
  conditions: `${domain}/conditions`,
} as const;

const roundTrip: ReadonlySet<string> = new Set([
  ...Object.values(kept),
  `${domain}/scale-down-tolerance`,
  `${domain}/scale-up-tolerance`,
]);

/** A copy of metadata in which only these of the annotations above are left. */
export function withKept(metadata: JsonObject, values: Readonly<Record<string, string | undefined>>): JsonObject {
  const annotations = new Map(Object.entries(mapIn(metadata, 'annotations')).filter(([name]) => !roundTrip.has(name)));
  for (const [name, value] of Object.entries(values)) if (value !== undefined) annotations.set(name, value);
  const { annotations: _, ...rest } = metadata;
  if (annotations.size === 0) return rest;
  const sorted: JsonObject = {};
  for (const name of [...annotations.keys()].sort()) setKey(sorted, name, annotations.get(name) as string);
  return { ...rest, annotations: sorted };
}

export function hasKept(metadata: JsonObject): boolean {
  return Object.keys(mapIn(metadata, 'annotations')).some((name) => roundTrip.has(name));
}

/** The list in an annotation; undefined if there is none that can be read, in which case it is as if it were not there. */
export function readKeptList(metadata: JsonObject, name: string, type: string): readonly JsonObject[] | undefined {
  const items = parse(metadata, name);
  if (items === undefined) return undefined;
  const checked = check({ items }, type);
  return checked && ((checked.items ?? []) as JsonObject[]);
}

/** The same for an object. */
export function readKeptObject(
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

/** Metrics as v1 keeps them in annotations: types that no schema of today mentions any more. */
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

let known: ReadonlyMap<string, BuiltinType> | undefined;

/** The types above, and all built-in ones. */
export const metricTypes: TypeCatalogue = {
  get(name) {
    known ??= readTypes();
    return known.get(name) ?? builtinTypes.get(name);
  },
};

/** The name of a type above. */
export function metricType(name: string): string {
  return `${prefix}.${name}`;
}
