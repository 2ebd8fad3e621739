import type { Column, RowCondition } from '@tsukube/apiserver';
import { type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../../common/columns.ts';
import { summaryOf } from './summary.ts';

const podStatus = 'io.k8s.api.core.v1.PodStatus';
const podSpec = 'io.k8s.api.core.v1.PodSpec';
const none = '<none>';

export const podColumns: readonly Column[] = [
  nameColumn,
  {
    name: 'Ready',
    type: 'string',
    description: 'The aggregate readiness state of this pod for accepting traffic.',
    value: (pod) => summaryOf(pod).ready,
  },
  {
    name: 'Status',
    type: 'string',
    description: 'The aggregate status of the containers in this pod.',
    value: (pod) => summaryOf(pod).reason,
  },
  {
    name: 'Restarts',
    type: 'string',
    description:
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    value(pod) {
      const { restarts, lastRestart } = summaryOf(pod);
      return restarts === 0 || lastRestart === undefined
        ? String(restarts)
        : { age: lastRestart, before: `${restarts} (`, after: ' ago)' };
    },
  },
  ageColumn,
  wide('IP', podStatus, 'podIP', (_spec, status) => textIn(objectsIn(status, 'podIPs')[0], 'ip')),
  wide('Node', podSpec, 'nodeName', (spec) => textIn(spec, 'nodeName')),
  wide('Nominated Node', podStatus, 'nominatedNodeName', (_spec, status) => textIn(status, 'nominatedNodeName')),
  wide('Readiness Gates', podSpec, 'readinessGates', gatesOf),
];

function wide(
  name: string,
  type: string,
  field: string,
  text: (spec: JsonObject | undefined, status: JsonObject | undefined) => string,
): Column {
  const value = (pod: JsonObject) => text(objectIn(pod, 'spec'), objectIn(pod, 'status')) || none;
  return column(name, { type, field }, value, { priority: 1 });
}

function gatesOf(spec: JsonObject | undefined, status: JsonObject | undefined): string {
  const gates = objectsIn(spec, 'readinessGates');
  if (gates.length === 0) return none;
  const open = gates.filter(({ conditionType }) => {
    const condition = objectsIn(status, 'conditions').find(({ type }) => type === conditionType);
    return condition?.status === 'True';
  });
  return `${open.length}/${gates.length}`;
}

/** Clients hide pods that have run to their end. */
export function podRowConditions(pod: JsonObject): readonly RowCondition[] {
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  if (phase === 'Succeeded')
    return [{ type: 'Completed', status: 'True', reason: phase, message: 'The pod has completed successfully.' }];
  if (phase === 'Failed') return [{ type: 'Completed', status: 'True', reason: phase, message: 'The pod failed.' }];
  return [];
}
