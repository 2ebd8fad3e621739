import { StatusError } from '@tsukube/machinery';
import { type Answer, ClientGone } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { isLongRunning, isReading } from '../http/request-info.ts';
import type { InFlightMetrics, LoadPeaks } from '../metrics/in-flight-metrics.ts';
import type { Filter, Handler } from './filter.ts';

export interface MaxInFlightOptions {
  /** Most reading requests at one time; 0 for no limit. */
  readonly maxReadOnly: number;
  /** Most writing requests at one time; 0 for no limit. */
  readonly maxMutating: number;
  readonly requestTimeoutMs: number;
  readonly metrics: InFlightMetrics;
  /** Told of every request that is turned away. */
  readonly onRefused?: (request: IncomingRequest) => void;
}

/**
 * Limits how many requests are served at one time. Those beyond wait in a queue, and beyond that are turned away. What
 * is answered at once takes no place at all. Stands behind authentication: administrators are never turned away.
 */
export function maxInFlight(options: MaxInFlightOptions): Filter {
  const { metrics, requestTimeoutMs, onRefused } = options;
  const reading = new InFlightLane({ limit: options.maxReadOnly, peaks: metrics.readOnly, requestTimeoutMs, onRefused });
  const writing = new InFlightLane({ limit: options.maxMutating, peaks: metrics.mutating, requestTimeoutMs, onRefused });
  return function admit(request, next) {
    const isHealth = isHealthCheck(request);
    if (isHealth || isPrivileged(request)) request.exchange.connection.isUrgent = true;
    if (isHealth || isLongRunning(request.info)) return next(request);
    return (isReading(request.info) ? reading : writing).serve(request, next);
  };
}

/** A server under load must still be able to say that it lives. */
function isHealthCheck({ info, path }: IncomingRequest): boolean {
  return !info.isResource && /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}

export interface LaneOptions {
  /** Most requests at one time; 0 for no limit. */
  readonly limit: number;
  readonly requestTimeoutMs: number;
  readonly peaks: LoadPeaks;
  readonly onRefused?: (request: IncomingRequest) => void;
}

/** So many may wait for each that is served. */
const waitersPerPlace = 20;
/** As kube-apiserver has it: what has waited longer would not have the time left to be served. */
const waitingShareOfTimeout = 1 / 4;

/** A number of places for requests, and a queue in front of them. While somebody waits, every place is taken. */
export class InFlightLane {
  readonly #limit: number;
  readonly #options: LaneOptions;
  readonly #line = new WaitingLine();
  #taken = 0;

  constructor(options: LaneOptions) {
    this.#limit = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    this.#options = options;
  }

  serve(request: IncomingRequest, next: Handler): Answer | Promise<Answer> {
    if (this.#taken < this.#limit) return this.#serveNow(request, next);
    if (this.#line.length >= this.#limit * waitersPerPlace && !isPrivileged(request)) throw this.#refusal(request);
    return this.#serveLater(request, next);
  }

  /** An answer that is there at once takes no place: nothing else could have run meanwhile. */
  #serveNow(request: IncomingRequest, next: Handler): Answer | Promise<Answer> {
    const answer = next(request);
    if (!(answer instanceof Promise)) return answer;
    this.#options.peaks.executing.set(++this.#taken);
    answer.then(this.#leave, this.#leave);
    return answer;
  }

  async #serveLater(request: IncomingRequest, next: Handler): Promise<Answer> {
    const { peaks, requestTimeoutMs } = this.#options;
    const patience = isPrivileged(request) ? undefined : requestTimeoutMs * waitingShareOfTimeout;
    const waiting = this.#line.join(request.signal, patience);
    peaks.waiting.set(this.#line.length);
    const outcome = await waiting;
    peaks.waiting.set(this.#line.length);
    if (outcome === 'gone') throw new ClientGone();
    if (outcome === 'impatient') throw this.#refusal(request);
    try {
      return await next(request);
    } finally {
      // In another turn of the loop, so that a long line of quick requests does not keep the loop to itself.
      setImmediate(this.#leave);
    }
  }

  /** The place goes to the first in line, if there is one. */
  #leave = (): void => {
    if (!this.#line.admitFirst()) this.#options.peaks.executing.set(--this.#taken);
  };

  #refusal(request: IncomingRequest): StatusError {
    this.#options.onRefused?.(request);
    return StatusError.tooManyRequests('Too many requests, please try again later.', 1);
  }
}

export function isPrivileged({ user }: IncomingRequest): boolean {
  return user.groups.includes('system:masters');
}

/** How waiting ended: with a place, because it took too long, or because nobody waits for the answer any more. */
export type Outcome = 'admitted' | 'impatient' | 'gone';

/** First come, first served. Who gives up leaves no trace. */
export class WaitingLine {
  readonly #waiters = new Set<(outcome: Outcome) => void>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Waits for `patienceMs`, or without a limit, while the signal is not aborted. */
  join(signal: AbortSignal, patienceMs?: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#waiters.delete(end);
        resolve(outcome);
      };
      const leave = () => end('gone');
      const timer = patienceMs === undefined ? undefined : setTimeout(end, patienceMs, 'impatient');
      signal.addEventListener('abort', leave);
      this.#waiters.add(end);
    });
  }

  /** Whether there was somebody to admit. */
  admitFirst(): boolean {
    const [first] = this.#waiters;
    first?.('admitted');
    return first !== undefined;
  }
}
