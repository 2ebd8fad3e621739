import type { FlowRequest } from './flow-request.ts';

/** First come, first served; who gives up leaves no trace. */
export class FlowQueue {
  readonly waiting = new Set<FlowRequest>();
  executing = 0;
  /** Those of them that have been under way for more than a turn of the loop. */
  readonly underWay = new Set<FlowRequest>();
  seatsInUse = 0;
  /** The virtual time at which its next request would begin. */
  nextDispatchR = 0;
  initialSeatsWaiting = 0;
  maxSeatsWaiting = 0;
  workWaiting = 0;

  get isActive(): boolean {
    return this.waiting.size > 0 || this.executing > 0;
  }

  get oldest(): FlowRequest | undefined {
    for (const request of this.waiting) return request;
    return undefined;
  }

  enqueue(request: FlowRequest): void {
    this.waiting.add(request);
    this.initialSeatsWaiting += request.work.initialSeats;
    this.maxSeatsWaiting += request.seats;
    this.workWaiting += request.totalWork;
  }

  /** Whether it was there. */
  remove(request: FlowRequest): boolean {
    if (!this.waiting.delete(request)) return false;
    this.initialSeatsWaiting -= request.work.initialSeats;
    this.maxSeatsWaiting -= request.seats;
    // Sums of fractions drift: an empty queue holds no work, exactly.
    this.workWaiting = this.waiting.size === 0 ? 0 : this.workWaiting - request.totalWork;
    return true;
  }

  /** A queue that was served little has no claim from before its oldest request arrived. */
  boundNextDispatch(): void {
    const { oldest } = this;
    if (oldest && this.nextDispatchR < oldest.arrivedR) this.nextDispatchR = oldest.arrivedR;
  }
}
