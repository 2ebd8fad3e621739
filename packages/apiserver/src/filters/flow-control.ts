import { type Answer, type BytesAnswer, ClientGone, type StreamAnswer } from '@tsukube/transport';
import { type Flow, type FlowRequest, maxSeats } from '../flowcontrol/flow.ts';
import type { FlowControl } from '../flowcontrol/flow-control.ts';
import type { DispatchPacer, SeatReleaser } from '../flowcontrol/loop-pacing.ts';
import { remainingMs, type SlowUploads, waitForSeats } from '../flowcontrol/seat-wait.ts';
import type { WatchTracker, WorkEstimator } from '../flowcontrol/work-estimator.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { isLongRunning, isReadOnly } from '../http/request-info.ts';
import { answerText } from '../http/respond.ts';
import type { Filter, Handler } from './filter.ts';

/** Gauges of executing and queued requests. */
export interface LoadGauges {
  readonly executing: { add(difference: number): void };
  readonly waiting: { add(difference: number): void };
}

export interface FlowControlFilterOptions {
  readonly control: FlowControl;
  readonly estimate: WorkEstimator;
  readonly watches: WatchTracker;
  readonly releaser: SeatReleaser;
  readonly pacer: DispatchPacer;
  readonly slowUploads: SlowUploads;
  readonly requestTimeoutMs: number;
  readonly load: Readonly<Record<'readOnly' | 'mutating', LoadGauges>>;
  /** Called for every rejected request. */
  readonly onRefused?: (request: IncomingRequest) => void;
}

/** Responses up to this size release their seats at once; larger ones keep them until the client has read the response. */
const quickBytes = 64 * 1024;

/**
 * API priority and fairness. A request takes seats of its priority level while it is served, waits in a queue if there are none, and
 * is rejected if the queue is full. Of long-running requests only watches take part, until they have sent their initial events.
 * Requests for other API servers release their seats when they are forwarded.
 */
export function flowControl(options: FlowControlFilterOptions): Filter {
  const { control, estimate } = options;
  return function takeSeats(request, next) {
    const { info } = request;
    if (isLongRunning(info) && info.verb !== 'watch') return next(request);
    const flow = control.classify(request);
    request.flow = flow.headers;
    if (flow.level.isUrgent) request.exchange.connection.isUrgent = true;
    const work = estimate(request, flow);
    flow.series.estimated(maxSeats(work));
    const seated = flow.level.queues.start(request, flow, work);
    if (!seated) return reject(request, flow, options);
    if (seated.isExecuting) return serve(seated, next, options);
    return serveLater(seated, next, options);
  };
}

async function serveLater(waiting: FlowRequest, next: Handler, options: FlowControlFilterOptions): Promise<Answer> {
  const { request, flow } = waiting;
  const load = loadOf(request, options);
  load.waiting.add(1);
  const outcome = await waitForSeats(waiting, options.requestTimeoutMs);
  load.waiting.add(-1);
  if (outcome === 'execute') {
    // No await without a turn: it would let all other queued requests through as well.
    const turn = flow.level.isUrgent ? undefined : options.pacer.whenReady();
    if (turn) await turn;
    try {
      return serve(waiting, next, options);
    } finally {
      options.pacer.started();
    }
  }
  flow.series.gaveUp(Math.max(0, Date.now() - request.received) / 1000);
  if (outcome === 'gone') throw new ClientGone();
  return reject(request, flow, options);
}

function serve(first: FlowRequest, next: Handler, options: FlowControlFilterOptions): Answer | Promise<Answer> {
  const { request, flow } = first;
  let seat: FlowRequest | undefined = first;
  const finish = () => {
    if (seat) seat.flow.level.queues.finish(seat);
    seat = undefined;
  };
  if (!flow.level.isExempt && !isReadOnly(request.info)) {
    const change = (other: FlowRequest | undefined) => {
      seat = other;
    };
    request.arrival = (arriving) => (seat ? options.slowUploads.arrival(arriving, seat, change) : arriving);
  }
  request.onDelegated = finish;
  let answer: Answer | Promise<Answer>;
  try {
    answer = next(request);
  } catch (error) {
    finish();
    throw error;
  }
  if (!(answer instanceof Promise)) return settled(answer, request, finish, options, !flow.level.isExempt);
  if (seat) flow.level.queues.track(first);
  const { executing } = loadOf(request, options);
  executing.add(1);
  const leave = () => {
    executing.add(-1);
    finish();
  };
  return answer.then(
    (done) => settled(done, request, leave, options, false),
    (error) => {
      leave();
      throw error;
    },
  );
}

function settled(
  answer: Answer,
  request: IncomingRequest,
  finish: () => void,
  options: FlowControlFilterOptions,
  inTurn: boolean,
): Answer {
  if (answer.kind === 'stream') return watching(answer, request, finish, options);
  // A proxied watch holds no seats.
  if (answer.kind === 'bytes' && !isQuick(answer) && !isLongRunning(request.info)) whenTaken(request, finish, options);
  else if (inTurn) options.releaser.release(finish);
  else finish();
  return answer;
}

function isQuick({ body }: BytesAnswer): boolean {
  return (typeof body === 'string' || body instanceof Uint8Array) && body.length <= quickBytes;
}

/** Releases the seats when the client has read the response. Aborts it at the deadline. */
function whenTaken(request: IncomingRequest, finish: () => void, { requestTimeoutMs }: FlowControlFilterOptions): void {
  const timer = setTimeout(() => request.exchange.abort(), remainingMs(request.received, request.timeoutMs ?? requestTimeoutMs));
  request.exchange.onClose(() => {
    clearTimeout(timer);
    finish();
  });
}

/** A watch releases its seats once it has sent its initial events. */
function watching(answer: StreamAnswer, request: IncomingRequest, finish: () => void, options: FlowControlFilterOptions): Answer {
  const leave = once(finish);
  request.onCaughtUp = leave;
  let begun = false;
  // The stream never starts if the client is gone.
  setImmediate(() => {
    if (!begun) leave();
  });
  return {
    ...answer,
    start(sink) {
      begun = true;
      const forget = options.watches.register(request.info, request.query.get('fieldSelector'));
      sink.onClose(() => {
        leave();
        forget();
      });
      answer.start(sink);
    },
  };
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

/** In plain text, as in kube-apiserver. */
function reject(request: IncomingRequest, flow: Flow, { onRefused }: FlowControlFilterOptions): Answer {
  const { retryAfter } = flow.level;
  onRefused?.(request);
  retryAfter.refused(performance.now());
  return answerText(429, 'Too many requests, please try again later.\n', {
    'retry-after': String(retryAfter.seconds),
    'x-content-type-options': 'nosniff',
  });
}

function loadOf({ info }: IncomingRequest, { load }: FlowControlFilterOptions): LoadGauges {
  return isReadOnly(info) ? load.readOnly : load.mutating;
}
