import { StatusError } from '@tsukube/machinery';
import { type Answer, ClientGone } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { isLongRunning, isReadOnly } from '../http/request-info.ts';
import type { InFlightMetrics, LoadPeaks } from '../metrics/in-flight-metrics.ts';
import type { Filter, Handler } from './filter.ts';

export interface MaxInFlightOptions {
  /** The limit of concurrent reads; 0 for none. */
  readonly maxReadOnly: number;
  /** The limit of concurrent writes; 0 for none. */
  readonly maxMutating: number;
  readonly requestTimeoutMs: number;
  readonly metrics: InFlightMetrics;
  /** Called for every rejected request. */
  readonly onRefused?: (request: IncomingRequest) => void;
}

/**
 * Limits concurrent requests. Requests beyond the limit wait in a queue, and are rejected if it is full. Synchronous answers do not
 * count. Runs after authentication: system:masters are never rejected.
 */
export function maxInFlight(options: MaxInFlightOptions): Filter {
  const { metrics, requestTimeoutMs, onRefused } = options;
  const reading = new SlotLimiter({ limit: options.maxReadOnly, peaks: metrics.readOnly, requestTimeoutMs, onRefused });
  const writing = new SlotLimiter({ limit: options.maxMutating, peaks: metrics.mutating, requestTimeoutMs, onRefused });
  return function admit(request, next) {
    const isHealth = isHealthCheck(request);
    if (isHealth || isPrivileged(request)) request.exchange.connection.isUrgent = true;
    if (isHealth || isLongRunning(request.info)) return next(request);
    return (isReadOnly(request.info) ? reading : writing).serve(request, next);
  };
}

/** Probes must succeed under load. */
function isHealthCheck({ info, path }: IncomingRequest): boolean {
  return !info.isResource && /^\/(healthz|livez|readyz)(\/|$)/.test(path);
}

interface SlotLimiterOptions {
  /** The limit of concurrent requests; 0 for none. */
  readonly limit: number;
  readonly requestTimeoutMs: number;
  readonly peaks: LoadPeaks;
  readonly onRefused?: (request: IncomingRequest) => void;
}

/** The length of the queue, relative to the limit. */
const queuedPerSlot = 20;
/** As in kube-apiserver: a request that waited longer would have no time left. */
const waitingShareOfTimeout = 1 / 4;

/** A limited number of slots with a queue. While requests wait, all slots are taken. */
class SlotLimiter {
  readonly #limit: number;
  readonly #options: SlotLimiterOptions;
  readonly #queue = new WaitQueue();
  #taken = 0;

  constructor(options: SlotLimiterOptions) {
    this.#limit = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit;
    this.#options = options;
  }

  serve(request: IncomingRequest, next: Handler): Answer | Promise<Answer> {
    if (this.#taken < this.#limit) return this.#serveNow(request, next);
    if (this.#queue.length >= this.#limit * queuedPerSlot && !isPrivileged(request)) throw this.#rejection(request);
    return this.#serveLater(request, next);
  }

  /** A synchronous answer takes no slot: nothing else could run meanwhile. */
  #serveNow(request: IncomingRequest, next: Handler): Answer | Promise<Answer> {
    const answer = next(request);
    if (!(answer instanceof Promise)) return answer;
    this.#options.peaks.executing.set(++this.#taken);
    answer.then(this.#leave, this.#leave);
    return answer;
  }

  async #serveLater(request: IncomingRequest, next: Handler): Promise<Answer> {
    const { peaks, requestTimeoutMs } = this.#options;
    const timeoutMs = isPrivileged(request) ? undefined : requestTimeoutMs * waitingShareOfTimeout;
    const waiting = this.#queue.join(request.signal, timeoutMs);
    peaks.waiting.set(this.#queue.length);
    const outcome = await waiting;
    peaks.waiting.set(this.#queue.length);
    if (outcome === 'gone') throw new ClientGone();
    if (outcome === 'timeout') throw this.#rejection(request);
    try {
      return await next(request);
    } finally {
      // In another turn of the event loop, so that a long queue of quick requests does not starve others.
      setImmediate(this.#leave);
    }
  }

  /** Passes the slot to the first in the queue. */
  #leave = (): void => {
    if (!this.#queue.admitFirst()) this.#options.peaks.executing.set(--this.#taken);
  };

  #rejection(request: IncomingRequest): StatusError {
    this.#options.onRefused?.(request);
    return StatusError.tooManyRequests('Too many requests, please try again later.', 1);
  }
}

function isPrivileged({ user }: IncomingRequest): boolean {
  return user.groups.includes('system:masters');
}

/** How waiting ended: with a slot, by the timeout, or because the client is gone. */
type Outcome = 'admitted' | 'timeout' | 'gone';

/** A FIFO queue of waiting requests. */
class WaitQueue {
  readonly #waiters = new Set<(outcome: Outcome) => void>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Waits at most `timeoutMs`, and until the signal is aborted. */
  join(signal: AbortSignal, timeoutMs?: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#waiters.delete(end);
        resolve(outcome);
      };
      const leave = () => end('gone');
      const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'timeout');
      signal.addEventListener('abort', leave);
      this.#waiters.add(end);
    });
  }

  /** Returns whether a request was waiting. */
  admitFirst(): boolean {
    const [first] = this.#waiters;
    first?.('admitted');
    return first !== undefined;
  }
}
