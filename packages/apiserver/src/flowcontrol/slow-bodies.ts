import { StatusError } from '@tsukube/machinery';
import { ClientGone } from '../http/body.ts';
import type { FlowRequest } from './flow-request.ts';
import { outcomeOf } from './waiting.ts';

/** A body that takes longer than this to arrive leaves its seats to others. */
const patienceMs = 1000;
/** So many may be on their way without a seat. Each may hold some memory, and memory is what seats protect. */
const maxAway = 100;

/** Takes the seats of requests back while the server waits for their clients. */
export class SlowBodies {
  readonly #requestTimeoutMs: number;
  #away = 0;

  constructor(requestTimeoutMs: number) {
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  /** Gives what arrives. The seats are those of `seat`, or, if it took long, others that `change` is told of. */
  async arrival<T>(arriving: Promise<T>, seat: FlowRequest, change: (seat: FlowRequest | undefined) => void): Promise<T> {
    let isAway = false;
    const timer = setTimeout(() => {
      if (this.#away >= maxAway) return;
      isAway = true;
      this.#away++;
      change(undefined);
      seat.flow.level.queues.finish(seat);
    }, patienceMs);
    try {
      const arrived = await arriving;
      clearTimeout(timer);
      if (isAway) change(await this.#comeBack(seat));
      return arrived;
    } finally {
      clearTimeout(timer);
      if (isAway) this.#away--;
    }
  }

  async #comeBack({ request, flow, work }: FlowRequest): Promise<FlowRequest> {
    const seat = flow.level.queues.start(request, flow, work);
    if (!seat) throw refusal(flow.level.retryAfter.seconds);
    if (seat.isExecuting) return seat;
    const outcome = await outcomeOf(seat, this.#requestTimeoutMs, Date.now());
    if (outcome === 'execute') return seat;
    throw outcome === 'gone' ? new ClientGone() : refusal(flow.level.retryAfter.seconds);
  }
}

function refusal(seconds: number): StatusError {
  return StatusError.tooManyRequests('Too many requests, please try again later.', seconds);
}
