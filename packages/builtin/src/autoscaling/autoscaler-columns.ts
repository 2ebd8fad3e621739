import type { Column } from '@tsukube/apiserver';
import { type JsonObject, type JsonValue, numberIn, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';

const specType = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec';
const statusType = 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus';

/** The columns of an autoscaler; `hub` turns what is shown into the hub version. */
export function autoscalerColumns(hub: (object: JsonObject) => JsonObject): readonly Column[] {
  const spec = (object: JsonObject) => objectIn(object, 'spec') ?? {};
  return [
    nameColumn,
    column('Reference', { type: specType, field: 'scaleTargetRef' }, (object) => referenceCell(spec(object))),
    column('Targets', { type: specType, field: 'metrics' }, (object) => targetsCell(hub(object))),
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

/** An absent quantity is a zero, unless nothing was measured at all. */
function amount(current: JsonObject | undefined, field: string): string {
  return current === undefined ? unknown : quantity(current[field]);
}

function quantity(value: JsonValue | undefined): string {
  return value === undefined ? '<nil>' : String(value);
}
