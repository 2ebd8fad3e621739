import { StatusError } from '@tsukube/machinery';
import { ClientGone } from '@tsukube/transport';
import type { DispatchDecision, FlowRequest } from './flow.ts';

/** How a wait ended; `gone` if the client disconnected. */
export type Outcome = DispatchDecision | 'gone';

/** Maximum wait as a fraction of the request timeout, as in kube-apiserver. */
const shareOfTimeout = 1 / 4;
const maxWaitMs = 60_000;

/** Remaining part of a duration that began at `since`. Bounded by the duration, because the wall clock may have been set back. */
export function remainingMs(since: number, wholeMs: number): number {
  return Math.min(wholeMs, Math.max(0, since + wholeMs - Date.now()));
}

/** Waits for seats, until the wait limit or the disconnect of the client. */
export function waitForSeats(waiting: FlowRequest, requestTimeoutMs: number, since = waiting.request.received): Promise<Outcome> {
  const { request, flow } = waiting;
  const { signal } = request;
  const allowed = Math.min((request.timeoutMs ?? requestTimeoutMs) * shareOfTimeout, maxWaitMs);
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      resolve(outcome);
    };
    const cancel = (outcome: Outcome) => {
      if (flow.level.queues.cancel(waiting)) end(outcome);
    };
    const leave = () => cancel('gone');
    const timer = setTimeout(cancel, remainingMs(since, allowed), 'time-out');
    waiting.decide = end;
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
  });
}

/** A body that takes longer to arrive gives up its seats. */
const slowBodyMs = 1000;
/** Maximum requests that receive a body without holding seats, because each of them may hold memory. */
const maxWithoutSeats = 100;

/** Releases the seats of requests whose body is slow to arrive. */
export class SlowUploads {
  readonly #requestTimeoutMs: number;
  #withoutSeats = 0;

  constructor(requestTimeoutMs: number) {
    this.#requestTimeoutMs = requestTimeoutMs;
  }

  /** Resolves with the body. If it was slow, new seats are acquired and passed to `change`. */
  async arrival<T>(arriving: Promise<T>, seat: FlowRequest, change: (seat: FlowRequest | undefined) => void): Promise<T> {
    let hasReleased = false;
    const timer = setTimeout(() => {
      if (this.#withoutSeats >= maxWithoutSeats) return;
      hasReleased = true;
      this.#withoutSeats++;
      change(undefined);
      seat.flow.level.queues.finish(seat);
    }, slowBodyMs);
    try {
      const arrived = await arriving;
      clearTimeout(timer);
      if (hasReleased) change(await this.#reacquire(seat));
      return arrived;
    } finally {
      clearTimeout(timer);
      if (hasReleased) this.#withoutSeats--;
    }
  }

  async #reacquire({ request, flow, work }: FlowRequest): Promise<FlowRequest> {
    const seat = flow.level.queues.start(request, flow, work);
    if (!seat) throw tooManyRequests(flow.level.retryAfter.seconds);
    if (seat.isExecuting) return seat;
    const outcome = await waitForSeats(seat, this.#requestTimeoutMs, Date.now());
    if (outcome === 'execute') return seat;
    throw outcome === 'gone' ? new ClientGone() : tooManyRequests(flow.level.retryAfter.seconds);
  }
}

function tooManyRequests(seconds: number): StatusError {
  return StatusError.tooManyRequests('Too many requests, please try again later.', seconds);
}
