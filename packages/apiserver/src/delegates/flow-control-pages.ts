import type { Delegate } from '../filters/filter.ts';
import type { FlowRequest } from '../flowcontrol/flow.ts';
import type { FlowControl } from '../flowcontrol/flow-control.ts';
import type { PriorityLevel } from '../flowcontrol/priority-level.ts';
import { answerText } from '../http/respond.ts';

type Row = readonly string[];

const root = '/debug/api_priority_and_fairness/';

/** Debug pages of API Priority and Fairness: levels, queues and requests. */
export function flowControlPages(control: FlowControl): Delegate {
  const pages = new Map<string, (withDetails: boolean) => readonly Row[]>([
    [`${root}dump_priority_levels`, () => [levelColumns, ...control.levels.map(levelRow)]],
    [`${root}dump_queues`, () => [queueColumns, ...control.levels.flatMap(queueRows)]],
    [
      `${root}dump_requests`,
      (details) => [
        details ? [...requestColumns, ...detailColumns] : requestColumns,
        ...control.levels.flatMap((level) => requestRows(level, details)),
      ],
    ],
  ]);
  return function dump(request) {
    const page = pages.get(request.path);
    return page && answerText(200, aligned(page((request.query.get('includeRequestDetails') ?? '') !== '')));
  };
}

const levelColumns = [
  'PriorityLevelName',
  'ActiveQueues',
  'IsIdle',
  'IsQuiescing',
  'WaitingRequests',
  'ExecutingRequests',
  'DispatchedRequests',
  'RejectedRequests',
  'TimedoutRequests',
  'CancelledRequests',
];

function levelRow({ name, queues, isQuiescing }: PriorityLevel): Row {
  const active = queues.queues.filter(({ waiting }) => waiting.size > 0).length;
  const counts = [queues.waiting, queues.executing, queues.dispatched, queues.rejected, 0, queues.cancelled];
  return [name, active, queues.isIdle, isQuiescing, ...counts].map(String);
}

const queueColumns = [
  'PriorityLevelName',
  'Index',
  'PendingRequests',
  'ExecutingRequests',
  'SeatsInUse',
  'NextDispatchR',
  'InitialSeatsSum',
  'MaxSeatsSum',
  'TotalWorkSum',
];

function queueRows({ name, queues }: PriorityLevel): readonly Row[] {
  return queues.queues.map((queue, i) =>
    [
      name,
      i,
      queue.waiting.size,
      queue.executing,
      queue.seatsInUse,
      seatSeconds(queue.nextDispatchR),
      queue.initialSeatsWaiting,
      queue.maxSeatsWaiting,
      seatSeconds(queue.workWaiting),
    ].map(String),
  );
}

function seatSeconds(value: number): string {
  return `${value.toFixed(8)}ss`;
}

const requestColumns = [
  'PriorityLevelName',
  'FlowSchemaName',
  'QueueIndex',
  'RequestIndexInQueue',
  'FlowDistingsher',
  'ArriveTime',
  'InitialSeats',
  'FinalSeats',
  'AdditionalLatency',
  'StartTime',
];
const detailColumns = ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource'];

function requestRows({ queues }: PriorityLevel, withDetails: boolean): readonly Row[] {
  const row = (request: FlowRequest, queue: number, place: number) => requestRow(request, queue, place, withDetails);
  return [
    ...queues.queues.flatMap((queue, i) => [
      ...[...queue.waiting].map((request, place) => row(request, i, place)),
      ...[...queue.tracked].map((request) => row(request, i, -1)),
    ]),
    ...[...queues.trackedWithoutQueue].map((request) => row(request, -1, -1)),
  ];
}

function requestRow(request: FlowRequest, queue: number, place: number, withDetails: boolean): Row {
  const { flow, work } = request;
  const cells = [
    flow.level.name,
    flow.schema,
    String(queue),
    String(place),
    flow.distinguisher,
    wallTime(request.arrived),
    String(work.initialSeats),
    String(work.finalSeats),
    work.additionalLatency === 0 ? '0s' : `${work.additionalLatency * 1000}ms`,
    request.isExecuting ? wallTime(request.started) : '0001-01-01T00:00:00Z',
  ];
  return withDetails ? [...cells, ...details(request)] : cells;
}

function details({ request: { info, user, path } }: FlowRequest): Row {
  const apiVersion = info.group === '' ? info.version : `${info.group}/${info.version}`;
  return [user.name, info.verb, path, info.namespace, info.name, apiVersion, info.resource, info.subresource];
}

/** Converts a monotonic time to wall-clock time. */
function wallTime(seconds: number): string {
  return new Date(performance.timeOrigin + seconds * 1000).toISOString();
}

const minWidth = 8;

/** Aligns columns like Go's tabwriter. */
function aligned(rows: readonly Row[]): string {
  const head = rows[0] as Row;
  const widths = head.map((_, i) => Math.max(minWidth, ...rows.map((row) => (row[i] ?? '').length + 2)));
  const line = (row: Row) =>
    row.map((cell, i) => (i === row.length - 1 ? cell : `${cell},`.padEnd(widths[i] as number))).join('');
  return `${rows.map(line).join('\n')}\n`;
}
