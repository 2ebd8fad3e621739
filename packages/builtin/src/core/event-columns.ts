import type { Column } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { column, nameColumnWith } from '../common/columns.ts';

const event = 'io.k8s.api.core.v1.Event';

interface Times {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** When the event was first and last seen: each generation of the API has its own fields for that. */
function timesOf(object: JsonObject): Times {
  const first = (object.firstTimestamp ?? object.eventTime ?? undefined) as string | undefined;
  const series = object.series as JsonObject | undefined;
  if (series) return { first, last: series.lastObservedTime as string | undefined };
  return { first, last: (object.lastTimestamp ?? first) as string | undefined };
}

function countOf(object: JsonObject): number {
  const series = object.series as JsonObject | undefined;
  return Number(series ? (series.count ?? 0) : object.count || 1);
}

function targetOf(object: JsonObject): string {
  const { kind = '', name = '' } = (object.involvedObject ?? {}) as { kind?: string; name?: string };
  return name === '' ? kind.toLowerCase() : `${kind.toLowerCase()}/${name}`;
}

function sourceOf(object: JsonObject): string {
  const source = (object.source ?? {}) as { component?: string; host?: string };
  const component = source.component || ((object.reportingComponent ?? '') as string);
  const instance = source.host || ((object.reportingInstance ?? '') as string);
  return instance === '' ? component : `${component}, ${instance}`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const wide = { priority: 1 };

/** The columns of an event; `hub` turns what is shown into the core form. */
export function columnsIn(hub: (object: JsonObject) => JsonObject): readonly Column[] {
  return [
    column('Last Seen', { type: event, field: 'lastTimestamp' }, (o) => ({ age: timesOf(hub(o)).last })),
    column('Type', { type: event, field: 'type' }, (o) => text(o.type)),
    column('Reason', { type: event, field: 'reason' }, (o) => text(o.reason)),
    column('Object', { type: event, field: 'involvedObject' }, (o) => targetOf(hub(o))),
    column(
      'Subobject',
      { type: 'io.k8s.api.core.v1.ObjectReference', field: 'fieldPath' },
      (o) => text(((hub(o).involvedObject ?? {}) as JsonObject).fieldPath),
      wide,
    ),
    column('Source', { type: event, field: 'source' }, (o) => sourceOf(hub(o)), wide),
    column('Message', { type: event, field: 'message' }, (o) => text(hub(o).message).trim()),
    column('First Seen', { type: event, field: 'firstTimestamp' }, (o) => ({ age: timesOf(hub(o)).first }), wide),
    column('Count', { type: event, field: 'count' }, (o) => countOf(hub(o)), wide),
    nameColumnWith(wide),
  ];
}

export const eventColumns: readonly Column[] = columnsIn((object) => object);
