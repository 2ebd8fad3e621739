import type { FlowHeaders, IncomingRequest } from '../http/api-request.ts';
import type { FlowSeries } from '../metrics/flow-control-metrics.ts';
import type { PriorityLevel } from './priority-level.ts';
import type { FlowQueue } from './queue-set.ts';

/** Requests of the same FlowSchema and, depending on the schema, of the same user or namespace. */
export interface Flow {
  readonly schema: string;
  readonly level: PriorityLevel;
  readonly distinguisher: string;
  /** Indexes of the queues of this flow. */
  readonly hand: readonly number[];
  readonly series: FlowSeries;
  /** Response headers that identify the matched objects by UID. */
  readonly headers: FlowHeaders;
}

/** The seats of a request: initial seats while it executes, final seats for some time after. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  /** Seconds for which the final seats stay occupied. */
  readonly additionalLatency: number;
}

export function seats(initialSeats: number): WorkEstimate {
  return initialSeats === 1 ? oneSeat : { initialSeats, finalSeats: 0, additionalLatency: 0 };
}

export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };

export function maxSeats({ initialSeats, finalSeats }: WorkEstimate): number {
  return initialSeats >= finalSeats ? initialSeats : finalSeats;
}

/** Assumed execution time in seconds until the real one is known. */
export const assumedDuration = 0.003;

export type DispatchDecision = 'execute' | 'time-out';

/** A request in a queue or executing. Times are in seconds. */
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
  isTracked = false;
  /** Called once for a request that had to wait. */
  decide: ((decision: DispatchDecision) => void) | undefined;

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
