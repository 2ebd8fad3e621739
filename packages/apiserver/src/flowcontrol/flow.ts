import type { FlowHeaders, IncomingRequest } from '../http/api-request.ts';
import type { FlowSeries } from '../metrics/flow-control-metrics.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { FlowQueue } from './queue-set.ts';

/** Requests that are treated as one: of a schema, and of the same user or namespace where the schema says so. */
export interface Flow {
  readonly schema: string;
  readonly level: PriorityLevel;
  readonly distinguisher: string;
  /** The queues this flow may use. */
  readonly hand: readonly number[];
  readonly series: FlowSeries;
  /** Tell a client by which rules it was treated, without their names. */
  readonly headers: FlowHeaders;
}

/** How much of a server a request takes: so many seats while it is served, and so many for a while after. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  /** Seconds for which the final seats stay taken. */
  readonly additionalLatency: number;
}

export function seats(initialSeats: number): WorkEstimate {
  return initialSeats === 1 ? oneSeat : { initialSeats, finalSeats: 0, additionalLatency: 0 };
}

/** What most requests take. */
export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };

export function maxSeats({ initialSeats, finalSeats }: WorkEstimate): number {
  return initialSeats >= finalSeats ? initialSeats : finalSeats;
}

/** A request is assumed to take so many seconds until it is known how many it took. */
export const assumedDuration = 0.003;

export type Decision = 'execute' | 'time-out';

/** A request on its way through a queue to its seats. Times are in seconds. */
export class FlowRequest {
  readonly request: IncomingRequest;
  readonly flow: Flow;
  readonly queue: FlowQueue | undefined;
  readonly work: WorkEstimate;
  readonly seats: number;
  /** Seat-seconds. */
  readonly totalWork: number;
  readonly arrived: number;
  readonly arrivedR: number;
  started = 0;
  isExecuting = false;
  isUnderWay = false;
  /** Called once, of one that had to wait. */
  decide: ((decision: Decision) => void) | undefined;

  constructor(
    request: IncomingRequest,
    flow: Flow,
    queue: FlowQueue | undefined,
    work: WorkEstimate,
    arrived: number,
    arrivedR: number,
  ) {
    this.request = request;
    this.flow = flow;
    this.queue = queue;
    this.work = work;
    this.seats = maxSeats(work);
    this.totalWork = work.initialSeats * assumedDuration + work.finalSeats * work.additionalLatency;
    this.arrived = arrived;
    this.arrivedR = arrivedR;
  }
}
