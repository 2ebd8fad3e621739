import { EventLoopBudget } from '@tsukube/transport';
import type { ApiRequest } from '../http/api-request.ts';

/** The event loop did nothing else for this long. */
export interface Stall {
  readonly ms: number;
  /** The request whose synchronous work took most of that time, if it was a request's. */
  readonly cause: ApiRequest | undefined;
  /** Requests that were in flight meanwhile, if the cause is not known. */
  readonly inFlight: readonly ApiRequest[];
  /** Sections of synchronous work that began since the tick before. */
  readonly sections: number;
  /** Processor time that the process used since the tick before. Much less than `ms` means that it was not scheduled. */
  readonly cpuMs: number;
}

export interface LoopMonitorOptions {
  readonly onStall: (stall: Stall) => void;
  /** Told how late each tick was, in milliseconds. */
  readonly onTick?: (lateMs: number) => void;
  /** Told the time at every beginning and end, so that it need not read the clock. */
  readonly budget?: EventLoopBudget;
  /** Milliseconds on a monotonic clock. */
  readonly now?: () => number;
  /** Processor time of the process in milliseconds. */
  readonly cpu?: () => number;
}

export const tickMs = 50;
const stallMs = 100;
/** Without requests for this many ticks the timer stops, so that an idle process is not woken. */
const idleTicks = 20;
const maxReported = 3;
/** A request that waits for its body, which has mostly arrived with it, goes on at the end of the turn for about this long. */
const suspendedMs = 0.1;

/**
 * Measures how late the event loop comes to a timer while requests are served, and which request held it. Requests tell when
 * their synchronous work begins and ends; a section that nothing ends lasts until the next one begins or the timer fires.
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
  /** Of the sections that were ended: others may include time in which the loop was idle. */
  #longestExactMs = 0;

  constructor(options: LoopMonitorOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#cpu = options.cpu ?? processorTime;
    this.#budget = options.budget ?? new EventLoopBudget();
  }

  /** The request whose synchronous work runs now, or ran last. */
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

  /** It has ended. */
  end(at: number): void {
    const ms = this.#close(at);
    if (ms > this.#longestExactMs) this.#longestExactMs = ms;
    this.#running = undefined;
    this.#budget.at = at;
  }

  /** It has ended for now; the answer is a promise. */
  suspend(request: ApiRequest, at: number): void {
    this.end(at);
    this.#budget.charge(suspendedMs);
    this.#inFlight.add(request);
    request.onResume = this.#resume;
  }

  /** The promise has settled, `tookMs` after the beginning. */
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

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
