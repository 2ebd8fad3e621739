import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type JsonObject, type JsonValue, type KubeObject, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf, zeroValue } from '../common/schema.ts';
import { hasRoundTripAnnotations, withRoundTripAnnotations } from './annotations.ts';
import { validateAutoscaler, validateAutoscalerStatus } from './autoscaler-validation.ts';
import { omitUndefined } from './metrics-v1.ts';
import { v1Converter } from './v1-converter.ts';

const specType = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec';
const statusType = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus';

const v2: ServedVersion = {
  group: 'autoscaling',
  version: 'v2',
  schema: schemaOf('autoscaling.v2.HorizontalPodAutoscaler'),
  columns: autoscalerColumns((object) => object),
};

const v1: ServedVersion = {
  group: 'autoscaling',
  version: 'v1',
  schema: schemaOf('autoscaling.v1.HorizontalPodAutoscaler'),
  converter: v1Converter,
  columns: autoscalerColumns((object) => v1Converter.toHub(object)),
};

export const horizontalPodAutoscaler: Resource = {
  names: {
    plural: 'horizontalpodautoscalers',
    singular: 'horizontalpodautoscaler',
    kind: 'HorizontalPodAutoscaler',
    listKind: 'HorizontalPodAutoscalerList',
    shortNames: ['hpa'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/horizontalpodautoscalers',
  hub: v2,
  versions: [v2, v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource((object, _old, errors) => validateAutoscalerStatus(object, errors)) },
  strategy: {
    applyDefaults(object) {
      dropRoundTripAnnotations(object);
      defaultAutoscaler(object);
    },
    prepareForCreate(object) {
      object.status = zeroValue('autoscaling.v2.HorizontalPodAutoscalerStatus');
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateAutoscaler(object, undefined, errors),
    validateUpdate: validateAutoscaler,
  },
};

/** Drops the annotations by which autoscaling/v1 carries v2 fields: in v2 the fields themselves hold the values. */
function dropRoundTripAnnotations(object: KubeObject): void {
  const metadata = object.metadata;
  if (hasRoundTripAnnotations(metadata)) object.metadata = withRoundTripAnnotations(metadata, {});
}

/** Table columns in any version; `toHub` converts the object to v2. */
function autoscalerColumns(toHub: (object: KubeObject) => JsonObject): readonly Column[] {
  const spec = (object: KubeObject) => specOf(object);
  return [
    nameColumn,
    column('Reference', { type: specType, field: 'scaleTargetRef' }, (object) => referenceCell(spec(object))),
    column('Targets', { type: specType, field: 'metrics' }, (object) => targetsCell(toHub(object))),
    column('MinPods', { type: specType, field: 'minReplicas' }, (object) => String(spec(object).minReplicas ?? '<unset>')),
    column('MaxPods', { type: specType, field: 'maxReplicas' }, (object) => numberIn(spec(object), 'maxReplicas')),
    column('Replicas', { type: statusType, field: 'currentReplicas' }, (object) =>
      numberIn(objectIn(object, 'status'), 'currentReplicas'),
    ),
    ageColumn,
  ];
}

function referenceCell(spec: JsonObject): string {
  const reference = objectIn(spec, 'scaleTargetRef');
  return `${textIn(reference, 'kind')}/${textIn(reference, 'name')}`;
}

const shownMetrics = 2;

function targetsCell(autoscaler: JsonObject): string {
  const metrics = objectsIn(objectIn(autoscaler, 'spec'), 'metrics');
  const readings = objectsIn(objectIn(autoscaler, 'status'), 'currentMetrics');
  if (metrics.length === 0) return '<none>';
  const shown = metrics.slice(0, shownMetrics).map((metric, i) => metricCell(metric, readings[i]));
  const more = metrics.length > shownMetrics ? ` + ${metrics.length - shownMetrics} more...` : '';
  return `${shown.join(', ')}${more}`;
}

const unknown = '<unknown>';
const sourceFields: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metricCell(metric: JsonObject, reading: JsonObject | undefined): string {
  const field = sourceFields[textIn(metric, 'type')];
  if (field === undefined) return '<unknown type>';
  const source = objectIn(metric, field);
  const target = objectIn(source, 'target') ?? {};
  const current = objectIn(objectIn(reading, field), 'current');
  if (field === 'resource' || field === 'containerResource') {
    return `${textIn(source, 'name')}: ${resourceCell(target, current)}`;
  }
  if (field === 'pods') return `${amount(current, 'averageValue')}/${quantity(target.averageValue)}`;
  if (target.averageValue === undefined) return `${amount(current, 'value')}/${quantity(target.value)}`;
  return `${current?.averageValue ?? unknown}/${quantity(target.averageValue)} (avg)`;
}

function resourceCell(target: JsonObject, current: JsonObject | undefined): string {
  if (target.averageValue !== undefined) return `${amount(current, 'averageValue')}/${quantity(target.averageValue)}`;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target.averageUtilization, '<auto>')}`;
}

function percent(value: JsonValue | undefined, absent: string): string {
  return value === undefined ? absent : `${value}%`;
}

/** `<unknown>` if the metric has no reading yet. */
function amount(current: JsonObject | undefined, field: string): string {
  return current === undefined ? unknown : quantity(current[field]);
}

function quantity(value: JsonValue | undefined): string {
  return value === undefined ? '<nil>' : String(value);
}

/** Defaults of autoscaling/v2. */
export function defaultAutoscaler(object: KubeObject): void {
  const spec = specOf(object);
  const metrics = objectsIn(spec, 'metrics');
  const behavior = objectIn(spec, 'behavior');
  object.spec = {
    scaleTargetRef: spec.scaleTargetRef ?? { kind: '', name: '' },
    minReplicas: spec.minReplicas ?? 1,
    maxReplicas: spec.maxReplicas ?? 0,
    metrics: metrics.length > 0 ? [...metrics] : [cpuUtilization()],
    ...omitUndefined({ behavior: behavior && defaultBehavior(behavior) }),
  };
  const status = statusOf(object);
  status.desiredReplicas ??= 0;
  status.currentMetrics ??= null;
  object.status = status;
}

function cpuUtilization(): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } };
}

function defaultBehavior(behavior: JsonObject): JsonObject {
  return {
    scaleUp: defaultRules(objectIn(behavior, 'scaleUp'), {
      stabilizationWindowSeconds: 0,
      policies: [
        { type: 'Pods', value: 4, periodSeconds: 15 },
        { type: 'Percent', value: 100, periodSeconds: 15 },
      ],
    }),
    // No default stabilization window: the controller has a flag for it.
    scaleDown: defaultRules(objectIn(behavior, 'scaleDown'), {
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    }),
  };
}

function defaultRules(rules: JsonObject | undefined, defaults: JsonObject): JsonObject {
  return omitUndefined({
    stabilizationWindowSeconds: rules?.stabilizationWindowSeconds ?? defaults.stabilizationWindowSeconds,
    selectPolicy: rules?.selectPolicy ?? 'Max',
    policies: rules?.policies ?? defaults.policies,
    tolerance: rules?.tolerance,
  });
}
