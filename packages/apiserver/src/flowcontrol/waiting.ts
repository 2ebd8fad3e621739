import type { Decision, FlowRequest } from './flow-request.ts';

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
