import { StatusError } from '@tsukube/machinery';
import { ClientGone } from '@tsukube/transport';
import type { Decision, FlowRequest } from './flow.ts';

/** How a wait ended: with seats, because it took too long, or because nobody waits for the answer any more. */
export type Outcome = Decision | 'gone';

/** As kube-apiserver has it: what has waited longer would not have the time left to be served. */
const shareOfTimeout = 1 / 4;
const maxWaitMs = 60_000;

/** What is left of a time that began at `since`. The wall clock may have been set meanwhile: never more than the whole. */
export function remainingMs(since: number, wholeMs: number): number {
  return Math.min(wholeMs, Math.max(0, since + wholeMs - Date.now()));
}

/** Waits for seats, for a part of the time that the request has, while somebody waits for the answer. */
export function outcomeOf(waiting: FlowRequest, requestTimeoutMs: number, since = waiting.request.received): Promise<Outcome> {
  const { request, flow } = waiting;
  const { signal } = request;
  const allowed = Math.min((request.timeoutMs ?? requestTimeoutMs) * shareOfTimeout, maxWaitMs);
  return new Promise((resolve) => {
    const end = (outcome: Outcome) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      resolve(outcome);
    };
    const giveUp = (outcome: Outcome) => {
      if (flow.level.queues.giveUp(waiting)) end(outcome);
    };
    const leave = () => giveUp('gone');
    const timer = setTimeout(giveUp, remainingMs(since, allowed), 'time-out');
    waiting.decide = end;
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
  });
}

/** A body that takes longer than this to arrive leaves its seats to others. */
const patienceMs = 1000;
/** So many may be on their way without a seat. Each may hold some memory, and memory is what seats protect. */
const maxAway = 100;

/** Takes the seats of requests back while the server waits for their clients. */
export class SlowUploads {
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
