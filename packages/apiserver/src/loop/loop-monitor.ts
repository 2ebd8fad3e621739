import { EventLoopBudget } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';

/** A period in which the event loop was blocked. */
export interface Stall {
  readonly ms: number;
  /** The request whose synchronous work took most of that time, if any. */
  readonly cause: ApiRequest | undefined;
  /** Requests in flight meanwhile, if the cause is unknown. */
  readonly inFlight: readonly ApiRequest[];
  /** Sections of synchronous work that began since the previous tick. */
  readonly sections: number;
  /** CPU time of the process since the previous tick. Much less than `ms` means that it was not scheduled. */
  readonly cpuMs: number;
}

export interface LoopMonitorOptions {
  readonly onStall: (stall: Stall) => void;
  /** Called with the delay of each tick, in milliseconds. */
  readonly onTick?: (lateMs: number) => void;
  /** Receives the time at every begin and end, so that it need not read the clock. */
  readonly budget?: EventLoopBudget;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
  /** CPU time of the process in milliseconds. */
  readonly cpu?: () => number;
}

export const tickMs = 50;
const stallMs = 100;
/** Without requests for this many ticks the timer stops, so that an idle process is not woken up. */
const idleTicks = 20;
const maxReported = 3;
/** The estimated work of a suspended request at the end of the turn; mostly its body has arrived already. */
const suspendedMs = 0.1;

/**
 * Measures the lag of the event loop while requests are served, and attributes it to a request. Requests report when their
 * synchronous work begins and ends; a section without an end lasts until the next one begins or the timer fires.
 */
export class LoopMonitor {
  readonly #options: LoopMonitorOptions;
  readonly #now: () => number;
  readonly #cpu: () => number;
  readonly #budget: EventLoopBudget;
  readonly #inFlight = new Set<ApiRequest>();
  /** Settled since the last tick after more than `stallMs`. */
  #settled: ApiRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastTick = 0;
  #lastCpu = 0;
  #sections = 0;
  #quietTicks = 0;
  #running: ApiRequest | undefined;
  #since = 0;
  #longest: ApiRequest | undefined;
  #longestMs = 0;
  /** Only sections with an explicit end: others may include idle time. */
  #longestExactMs = 0;

  constructor(options: LoopMonitorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#cpu = options.cpu ?? cpuTime;
    this.#budget = options.budget ?? new EventLoopBudget();
  }

  /** The request whose synchronous work runs now or ran last. */
  get running(): ApiRequest | undefined {
    return this.#running;
  }

  /** Synchronous work for a request begins. */
  begin(request: ApiRequest, at: number): void {
    this.#quietTicks = 0;
    this.#sections++;
    if (!this.#timer) this.#start(at);
    if (this.#running) this.#close(at);
    this.#running = request;
    this.#since = this.#budget.at = at;
  }

  /** The section has ended. */
  end(at: number): void {
    const ms = this.#close(at);
    if (ms > this.#longestExactMs) this.#longestExactMs = ms;
    this.#running = undefined;
    this.#budget.at = at;
  }

  /** The section has ended; the answer is a promise. */
  suspend(request: ApiRequest, at: number): void {
    this.end(at);
    this.#budget.charge(suspendedMs);
    this.#inFlight.add(request);
    request.onResume = this.#resume;
  }

  /** The promise has settled, `tookMs` after the begin. */
  settle(request: ApiRequest, tookMs: number): void {
    this.#inFlight.delete(request);
    if (tookMs > stallMs && this.#settled.length < maxReported) this.#settled.push(request);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#forget();
  }

  /** Called by the timer. */
  tick(): void {
    const at = this.#now();
    const lateMs = Math.max(0, at - this.#lastTick - tickMs);
    if (this.#running) this.#close(at);
    this.#options.onTick?.(lateMs);
    if (lateMs > stallMs || this.#longestExactMs > stallMs) this.#report(lateMs);
    this.#lastTick = this.#now();
    this.#lastCpu = this.#cpu();
    this.#forget();
    if (++this.#quietTicks > idleTicks && this.#inFlight.size === 0) this.stop();
  }

  #resume = (request: ApiRequest): void => this.begin(request, this.#now());

  #close(at: number): number {
    const ms = at - this.#since;
    if (ms > this.#longestMs) {
      this.#longestMs = ms;
      this.#longest = this.#running;
    }
    return ms;
  }

  #start(at: number): void {
    this.#lastTick = at;
    this.#lastCpu = this.#cpu();
    this.#timer = setInterval(() => this.tick(), tickMs).unref();
  }

  #report(lateMs: number): void {
    const isExplained = this.#longestMs > lateMs / 2;
    this.#options.onStall({
      ms: Math.max(lateMs, this.#longestExactMs),
      cause: isExplained ? this.#longest : undefined,
      inFlight: isExplained ? [] : [...this.#settled, ...this.#inFlight].slice(0, maxReported),
      sections: this.#sections,
      cpuMs: this.#cpu() - this.#lastCpu,
    });
  }

  #forget(): void {
    this.#running = undefined;
    this.#longest = undefined;
    this.#sections = 0;
    this.#longestMs = this.#longestExactMs = 0;
    if (this.#settled.length > 0) this.#settled = [];
  }
}

function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
