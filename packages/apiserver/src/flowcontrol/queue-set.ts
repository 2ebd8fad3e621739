import type { IncomingRequest } from '../http/api-request.ts';
import type { LevelSeries, StartBounds } from '../metrics/flow-control-metrics.ts';
import { assumedDuration, type Flow, FlowRequest, maxSeats, type WorkEstimate } from './flow.ts';
import type { SeatDemand } from './seat-demand.ts';

export interface QueuingConfig {
  /** 0: requests without a free seat are rejected. */
  readonly queues: number;
  readonly lengthLimit: number;
  /** Exempt: requests always get a seat. */
  readonly unlimited?: boolean;
}

/** A monotonic clock. */
export type Seconds = () => number;

export const noQueues: QueuingConfig = { queues: 0, lengthLimit: 0 };
export const noLimit: QueuingConfig = { queues: 0, lengthLimit: 0, unlimited: true };

/**
 * The seats of a priority level and its queues. Fair queuing by virtual time: the queue whose next request would finish first in
 * a fluid model is served first.
 */
export class QueueSet {
  readonly queues: FlowQueue[] = [];
  /** Executing requests that used no queue and did not finish synchronously. */
  readonly trackedWithoutQueue = new Set<FlowRequest>();
  waiting = 0;
  executing = 0;
  seatsInUse = 0;
  seatsWaiting = 0;
  dispatched = 0;
  rejected = 0;
  cancelled = 0;
  readonly #now: Seconds;
  readonly #series: LevelSeries;
  readonly #demand: SeatDemand;
  #config = noQueues;
  #limit = 0;
  #currentR = 0;
  #lastTime: number;
  #activeQueues = 0;
  #robin = 0;
  #enqueues = 0;

  constructor(now: Seconds, series: LevelSeries, demand: SeatDemand) {
    this.#now = now;
    this.#series = series;
    this.#demand = demand;
    this.#lastTime = now();
  }

  get isIdle(): boolean {
    return this.waiting === 0 && this.executing === 0;
  }

  get currentR(): number {
    return this.#currentR;
  }

  /** Removed queues stay until they are empty. */
  configure(config: QueuingConfig, limit: number): void {
    this.#syncTime(this.#now());
    this.#config = config;
    this.#limit = limit;
    while (this.queues.length < config.queues) this.queues.push(new FlowQueue());
    this.#dropUnwanted();
    this.#dispatchAll();
  }

  /** Returns an executing or waiting request; undefined if it is rejected. */
  start(request: IncomingRequest, flow: Flow, work: WorkEstimate): FlowRequest | undefined {
    const now = this.#now();
    this.#syncTime(now);
    if (this.#config.queues === 0) return this.#startWithoutQueue(request, flow, work, now);
    const queue = this.#chooseQueue(flow.hand);
    if (this.seatsInUse >= this.#limit && queue.waiting.size >= this.#config.lengthLimit) return this.#reject(flow, 'queue-full');
    const entering = new FlowRequest(request, flow, queue, work, now, this.#currentR);
    if (!queue.isActive) queue.nextDispatchR = this.#currentR;
    else if (queue.waiting.size === 0 && queue.nextDispatchR < this.#currentR) queue.nextDispatchR = this.#currentR;
    const isFree = this.waiting === 0 && this.seatsInUse < this.#limit;
    if (isFree && this.#hasRoom(entering.seats)) this.#seat(entering, queue, now);
    else this.#enqueue(entering, queue, now);
    return entering;
  }

  /** Removes a request from its queue. Returns whether it was still waiting. */
  cancel(request: FlowRequest): boolean {
    const { queue, flow } = request;
    const now = this.#now();
    this.#syncTime(now);
    if (!queue?.remove(request)) return false;
    this.#left(request, queue, now);
    this.cancelled++;
    this.#reject(flow, 'time-out');
    queue.boundNextDispatch();
    return true;
  }

  /** Tracks a request that does not finish synchronously, for the debug pages. Most requests do, and skip this. */
  track(request: FlowRequest): void {
    request.isTracked = true;
    (request.queue?.tracked ?? this.trackedWithoutQueue).add(request);
  }

  /** Releases the seats of a finished request. */
  finish(request: FlowRequest): void {
    const now = this.#now();
    this.#syncTime(now);
    const { queue, work, flow } = request;
    const took = now - request.started;
    this.executing--;
    flow.series.executed(took, request.request.info.verb === 'watch');
    this.#series.executing.add(-1, now);
    if (request.isTracked) (queue?.tracked ?? this.trackedWithoutQueue).delete(request);
    if (queue) {
      queue.executing--;
      queue.nextDispatchR -= work.initialSeats * (assumedDuration - took);
      queue.boundNextDispatch();
      if (!queue.isActive) this.#activeQueues--;
    }
    if (work.additionalLatency > 0) setTimeout(() => this.#release(request), work.additionalLatency * 1000).unref();
    else this.#releaseSeats(request, now);
    this.#dispatchAll();
  }

  #release(request: FlowRequest): void {
    const now = this.#now();
    this.#syncTime(now);
    this.#releaseSeats(request, now);
    this.#dispatchAll();
  }

  #releaseSeats({ queue, seats, flow }: FlowRequest, now: number): void {
    this.seatsInUse -= seats;
    flow.series.executingSeats.add(-seats);
    if (queue) queue.seatsInUse -= seats;
    this.#noteSeats(now);
    if (this.queues.length > this.#config.queues) this.#dropUnwanted();
  }

  #startWithoutQueue(request: IncomingRequest, flow: Flow, work: WorkEstimate, now: number): FlowRequest | undefined {
    if (!this.#hasRoom(maxSeats(work))) return this.#reject(flow, 'concurrency-limit');
    const entering = new FlowRequest(request, flow, undefined, work, now, this.#currentR);
    this.#seat(entering, undefined, now);
    return entering;
  }

  /** A request that needs more seats than the limit executes alone. */
  #hasRoom(seats: number): boolean {
    if (this.#config.unlimited) return true;
    if (seats > this.#limit) return this.executing === 0;
    return this.seatsInUse + seats <= this.#limit;
  }

  /** The queue of the hand with the least work waiting; ties rotate. */
  #chooseQueue(hand: readonly number[]): FlowQueue {
    const offset = this.#enqueues++ % hand.length;
    let best = this.queues[hand[offset] as number] as FlowQueue;
    if (this.waiting === 0) return best;
    for (let i = 1; i < hand.length; i++) {
      const queue = this.queues[hand[(offset + i) % hand.length] as number] as FlowQueue;
      if (queue.workWaiting < best.workWaiting) best = queue;
    }
    return best;
  }

  #enqueue(request: FlowRequest, queue: FlowQueue, now: number): void {
    if (!queue.isActive) this.#activeQueues++;
    queue.enqueue(request);
    queue.boundNextDispatch();
    this.waiting++;
    this.seatsWaiting += request.seats;
    request.flow.series.queued(1, request.seats);
    request.flow.series.queueLength(queue.waiting.size);
    this.#series.waiting.add(1, now);
    this.#noteSeats(now);
    this.#dispatchAll();
  }

  /** Updates the counters after a request left its queue. */
  #left(request: FlowRequest, queue: FlowQueue, now: number): void {
    if (!queue.isActive) this.#activeQueues--;
    this.waiting--;
    this.seatsWaiting -= request.seats;
    request.flow.series.queued(-1, -request.seats);
    this.#series.waiting.add(-1, now);
    this.#noteSeats(now);
  }

  #seat(request: FlowRequest, queue: FlowQueue | undefined, now: number): void {
    request.started = now;
    request.isExecuting = true;
    this.executing++;
    this.dispatched++;
    this.seatsInUse += request.seats;
    if (this.#config.unlimited) request.flow.series.began();
    else request.flow.series.dispatched(now - request.arrived);
    request.flow.series.executingSeats.add(request.seats);
    this.#series.executing.add(1, now);
    this.#noteSeats(now);
    if (!queue) return;
    if (!queue.isActive) this.#activeQueues++;
    queue.executing++;
    queue.seatsInUse += request.seats;
    queue.nextDispatchR += request.totalWork;
  }

  #dispatchAll(): void {
    while (this.waiting > 0 && this.seatsInUse < this.#limit) if (!this.#dispatchNext()) return;
  }

  #dispatchNext(): boolean {
    const queue = this.#nextQueue();
    const request = queue?.oldest;
    if (!queue || !request) return false;
    if (!this.#hasRoom(request.seats)) {
      request.flow.series.noAccommodation();
      return false;
    }
    const now = this.#lastTime;
    this.#series.dispatch(this.#currentR, queue.nextDispatchR, startBounds(this.queues));
    queue.remove(request);
    this.#left(request, queue, now);
    this.#seat(request, queue, now);
    queue.boundNextDispatch();
    request.decide?.('execute');
    return true;
  }

  /** The queue whose oldest request has the earliest virtual finish time; ties are served round robin. */
  #nextQueue(): FlowQueue | undefined {
    let best: FlowQueue | undefined;
    let bestFinish = Number.POSITIVE_INFINITY;
    let bestIndex = this.#robin;
    for (let i = 0; i < this.queues.length; i++) {
      this.#robin = (this.#robin + 1) % this.queues.length;
      const queue = this.queues[this.#robin] as FlowQueue;
      if (queue.waiting.size === 0) continue;
      const finish = queue.nextDispatchR + (queue.oldest as FlowRequest).totalWork;
      if (finish >= bestFinish) continue;
      best = queue;
      bestFinish = finish;
      bestIndex = this.#robin;
    }
    this.#robin = bestIndex;
    return best;
  }

  #reject(flow: Flow, reason: 'queue-full' | 'concurrency-limit' | 'time-out'): undefined {
    this.rejected++;
    flow.series.rejected(reason);
  }

  /** Virtual time advances at the rate at which each active queue would be served. */
  #syncTime(now: number): void {
    const elapsed = now - this.#lastTime;
    this.#lastTime = now;
    if (this.#activeQueues > 0)
      this.#currentR += (elapsed * Math.min(this.seatsInUse + this.seatsWaiting, this.#limit)) / this.#activeQueues;
  }

  #noteSeats(now: number): void {
    this.#demand.set(this.seatsInUse + this.seatsWaiting, now);
    this.#series.seats(this.seatsInUse, this.seatsInUse + this.seatsWaiting, now);
  }

  #dropUnwanted(): void {
    while (this.queues.length > this.#config.queues) {
      const last = this.queues.at(-1) as FlowQueue;
      if (last.isActive || last.seatsInUse > 0) return;
      this.queues.pop();
    }
    if (this.#robin >= this.queues.length) this.#robin = 0;
  }
}

function startBounds(queues: readonly FlowQueue[]): StartBounds {
  const bounds = { min: Infinity, max: -Infinity, discountedMin: Infinity, discountedMax: -Infinity };
  for (const { waiting, nextDispatchR, seatsInUse } of queues) {
    if (waiting.size === 0) continue;
    const discounted = nextDispatchR - seatsInUse * assumedDuration;
    bounds.min = Math.min(bounds.min, nextDispatchR);
    bounds.max = Math.max(bounds.max, nextDispatchR);
    bounds.discountedMin = Math.min(bounds.discountedMin, discounted);
    bounds.discountedMax = Math.max(bounds.discountedMax, discounted);
  }
  return bounds;
}

/** A FIFO queue from which requests can be removed. */
export class FlowQueue {
  readonly waiting = new Set<FlowRequest>();
  executing = 0;
  /** Executing requests that did not finish synchronously. */
  readonly tracked = new Set<FlowRequest>();
  seatsInUse = 0;
  /** Virtual start time of its next request. */
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

  /** Returns whether it was in the queue. */
  remove(request: FlowRequest): boolean {
    if (!this.waiting.delete(request)) return false;
    this.initialSeatsWaiting -= request.work.initialSeats;
    this.maxSeatsWaiting -= request.seats;
    // Avoids the drift of floating-point sums.
    this.workWaiting = this.waiting.size === 0 ? 0 : this.workWaiting - request.totalWork;
    return true;
  }

  /** The virtual start time is not before the arrival of the oldest request. */
  boundNextDispatch(): void {
    const { oldest } = this;
    if (oldest && this.nextDispatchR < oldest.arrivedR) this.nextDispatchR = oldest.arrivedR;
  }
}
