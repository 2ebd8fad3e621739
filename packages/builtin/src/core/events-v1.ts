import type { Converter, ServedVersion } from '@tsukube/apiserver';
import type { JsonObject, JsonValue } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { columnsIn } from './event-columns.ts';

/** [name here, name in core/v1] in the order in which they are written. */
const names: readonly (readonly [string, string])[] = [
  ['metadata', 'metadata'],
  ['eventTime', 'eventTime'],
  ['series', 'series'],
  ['reportingController', 'reportingComponent'],
  ['reportingInstance', 'reportingInstance'],
  ['action', 'action'],
  ['reason', 'reason'],
  ['regarding', 'involvedObject'],
  ['related', 'related'],
  ['note', 'message'],
  ['type', 'type'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

const converter: Converter = {
  toHub(event) {
    const hub: JsonObject = { kind: 'Event', apiVersion: 'v1' };
    for (const [name, core] of names) if (event[name] !== undefined) hub[core] = event[name] as JsonValue;
    return hub;
  },
  fromHub(hub) {
    const event: JsonObject = { kind: 'Event', apiVersion: 'events.k8s.io/v1' };
    for (const [name, core] of names) {
      const value = hub[core];
      const leftOut = value === undefined || (value === '' && (name === 'reportingController' || name === 'reportingInstance'));
      if (!leftOut) event[name] = value;
    }
    return event;
  },
};

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

export const eventsV1: ServedVersion = {
  group: 'events.k8s.io',
  version: 'v1',
  errorGroup: '',
  schema: schemaOf('events.v1.Event'),
  converter,
  columns: columnsIn((event) => converter.toHub(event)),
  selectableFields: {
    ...Object.fromEntries(
      referenceFields.map((field) => [
        `regarding.${field}`,
        (event: JsonObject) => (((event.regarding ?? {}) as JsonObject)[field] ?? '') as string,
      ]),
    ),
    reason: (event) => (event.reason ?? '') as string,
    reportingController: (event) => (event.reportingController ?? '') as string,
    type: (event) => (event.type ?? '') as string,
  },
};
