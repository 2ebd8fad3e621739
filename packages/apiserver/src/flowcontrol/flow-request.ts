import type { IncomingRequest } from '../http/api-request.ts';
import type { Flow } from './flow.ts';
import type { FlowQueue } from './flow-queue.ts';
import { maxSeats, type WorkEstimate } from './work-estimate.ts';

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
