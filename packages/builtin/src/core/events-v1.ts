import { type Column, type Converter, column, nameColumnWith, type ServedVersion } from '@tsukube/apiserver';
import { type JsonObject, numberIn, objectIn, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';

const type = 'io.k8s.api.core.v1.Event';
const wide = { priority: 1 };

/** Table columns of an event in any version; `toHub` converts it to core/v1. */
export function eventColumns(toHub: (object: JsonObject) => JsonObject): readonly Column[] {
  return [
    column('Last Seen', { type, field: 'lastTimestamp' }, (o) => ({ age: timesOf(toHub(o)).last })),
    column('Type', { type, field: 'type' }, (o) => textIn(o, 'type')),
    column('Reason', { type, field: 'reason' }, (o) => textIn(o, 'reason')),
    column('Object', { type, field: 'involvedObject' }, (o) => targetOf(toHub(o))),
    column(
      'Subobject',
      { type: 'io.k8s.api.core.v1.ObjectReference', field: 'fieldPath' },
      (o) => textIn(objectIn(toHub(o), 'involvedObject'), 'fieldPath'),
      wide,
    ),
    column('Source', { type, field: 'source' }, (o) => sourceOf(toHub(o)), wide),
    column('Message', { type, field: 'message' }, (o) => textIn(toHub(o), 'message').trim()),
    column('First Seen', { type, field: 'firstTimestamp' }, (o) => ({ age: timesOf(toHub(o)).first }), wide),
    column('Count', { type, field: 'count' }, (o) => countOf(toHub(o)), wide),
    nameColumnWith(wide),
  ];
}

interface Times {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** First and last occurrence: from the series, the deprecated timestamps or eventTime, whichever is set. */
function timesOf(object: JsonObject): Times {
  const first = textIn(object, 'firstTimestamp') || textIn(object, 'eventTime') || undefined;
  const series = objectIn(object, 'series');
  if (series) return { first, last: textIn(series, 'lastObservedTime') || undefined };
  return { first, last: textIn(object, 'lastTimestamp') || first };
}

function countOf(object: JsonObject): number {
  const series = objectIn(object, 'series');
  return series ? numberIn(series, 'count') : numberIn(object, 'count') || 1;
}

function targetOf(object: JsonObject): string {
  const target = objectIn(object, 'involvedObject');
  const kind = textIn(target, 'kind').toLowerCase();
  const name = textIn(target, 'name');
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceOf(object: JsonObject): string {
  const source = objectIn(object, 'source');
  const component = textIn(source, 'component') || textIn(object, 'reportingComponent');
  const instance = textIn(source, 'host') || textIn(object, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

/** Field names of events.k8s.io/v1 and of core/v1, in the order of encoding. */
const names: readonly (readonly [events: string, core: string])[] = [
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

/** Required in core/v1 and omitempty in events.k8s.io/v1. */
const omittedIfEmpty = ['reportingController', 'reportingInstance'];

const converter: Converter = {
  toHub(event) {
    const hub: JsonObject = { kind: 'Event', apiVersion: 'v1' };
    for (const [name, core] of names) {
      const value = event[name];
      if (value !== undefined) hub[core] = value;
    }
    return hub;
  },
  fromHub(hub) {
    const event: JsonObject = { kind: 'Event', apiVersion: 'events.k8s.io/v1' };
    for (const [name, core] of names) {
      const value = hub[core];
      if (value !== undefined && !(value === '' && omittedIfEmpty.includes(name))) event[name] = value;
    }
    return event;
  },
};

const referenceFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

/** Event in events.k8s.io/v1. Stored as core/v1. */
export const eventsV1: ServedVersion = {
  group: 'events.k8s.io',
  version: 'v1',
  errorGroup: '',
  schema: schemaOf('events.v1.Event'),
  converter,
  columns: eventColumns((event) => converter.toHub(event)),
  selectableFields: {
    ...Object.fromEntries(
      referenceFields.map((field) => [`regarding.${field}`, (event: JsonObject) => textIn(objectIn(event, 'regarding'), field)]),
    ),
    reason: (event) => textIn(event, 'reason'),
    reportingController: (event) => textIn(event, 'reportingController'),
    type: (event) => textIn(event, 'type'),
  },
};
