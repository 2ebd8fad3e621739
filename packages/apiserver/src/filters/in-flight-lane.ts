import { StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { ClientGone } from '../http/body.ts';
import type { LoadPeaks } from '../metrics/in-flight-metrics.ts';
import type { Handler } from './filter.ts';
import { WaitingLine } from './waiting-line.ts';

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
