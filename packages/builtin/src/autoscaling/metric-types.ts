import { type BuiltinType, builtinTypes, parseTypeLine } from '@tsukube/api';
import type { TypeCatalogue } from '@tsukube/machinery';

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
