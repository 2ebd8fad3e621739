import type { LevelSeries } from '../metrics/flow-control-metrics.ts';
import type { LevelConfig } from './flow-config.ts';
import { noLimit, noQueues, QueueSet, type QueuingConfig, type Seconds } from './queue-set.ts';
import { SeatDemand } from './seat-demand.ts';

/** Suggested levels for controllers, kubelets and leader election. */
const systemLevels = new Set(['system', 'node-high', 'leader-election']);
/** Maximum share of a level's seats for one request. */
const maxSeatsShare = 0.15;

/** A priority level: its configuration, seats and queues. */
export class PriorityLevel {
  readonly name: string;
  readonly series: LevelSeries;
  readonly demand: SeatDemand;
  readonly queues: QueueSet;
  readonly retryAfter = new RetryAfter();
  config: LevelConfig;
  /** No longer configured: finishes its executing and queued requests, accepts no new ones. */
  isQuiescing = false;
  nominal = 0;
  lower = 0;
  upper = 0;
  limit = 0;
  /** Maximum seats of one request; 0 for no limit. */
  maxSeats = 0;
  #isNew = true;

  constructor(config: LevelConfig, series: LevelSeries, now: Seconds) {
    this.name = config.name;
    this.config = config;
    this.series = series;
    this.demand = new SeatDemand(now());
    this.queues = new QueueSet(now, series, this.demand);
  }

  /** Exempt and system requests are read before others on the connection level. */
  get isUrgent(): boolean {
    return this.isExempt || systemLevels.has(this.name);
  }

  get isExempt(): boolean {
    return this.config.response.to === 'exempt';
  }

  /** Sets nominal, lower and upper limits from the level's concurrency shares. */
  setNominalLimit(serverLimit: number, allShares: number): void {
    const { shares, lendablePercent, borrowingLimitPercent, response } = this.config;
    this.nominal = Math.ceil(allShares === 0 ? 0 : (serverLimit * shares) / allShares);
    const lendable = Math.round((this.nominal * lendablePercent) / 100);
    const borrowing =
      borrowingLimitPercent === undefined ? serverLimit : Math.round((this.nominal * borrowingLimitPercent) / 100);
    this.lower = this.nominal - lendable;
    this.upper = this.nominal + borrowing;
    this.series.limits({ nominal: this.nominal, lower: this.lower, upper: this.upper });
    this.maxSeats = response.to === 'queue' ? maxSeatsOf(this.nominal, response.handSize) : 0;
    if (this.#isNew) this.limit = this.nominal - Math.floor(lendable / 2);
    this.#isNew = false;
  }

  /** Minimum current limit, from recent demand. */
  get minLimit(): number {
    if (this.isExempt) return Math.max(this.lower, this.demand.highWatermark);
    return Math.max(this.lower, Math.min(this.nominal, this.demand.highWatermark));
  }

  setLimit(limit: number, target: number, serverLimit: number): void {
    this.limit = limit;
    const { highWatermark, average, deviation, smoothed } = this.demand;
    this.series.adjusted({ highWatermark, average, deviation, smoothed, target, limit });
    this.series.capacity(limit > 0 ? limit : Math.max(1, Math.round(serverLimit / 10)), Math.max(1, this.queueCapacity));
    this.queues.configure(this.#queuing, limit);
  }

  /** Total capacity of the queues. */
  get queueCapacity(): number {
    const { response } = this.config;
    return response.to === 'queue' ? response.queues * response.lengthLimit : 0;
  }

  get #queuing(): QueuingConfig {
    const { response } = this.config;
    if (response.to === 'queue') return response;
    return response.to === 'exempt' ? noLimit : noQueues;
  }
}

function maxSeatsOf(nominal: number, handSize: number): number {
  return Math.max(1, Math.min(Math.ceil(nominal * maxSeatsShare), Math.floor(nominal / handSize)));
}

const maxSeconds = 32;

/** Adaptive Retry-After: grows while requests are rejected, shrinks otherwise. */
export class RetryAfter {
  seconds = 1;
  #raised = 0;
  #second = 0;
  #count = 0;
  #history: { readonly second: number; readonly count: number }[] = [];

  /** `now` is in milliseconds. */
  refused(now: number): void {
    const second = Math.floor(now / 1000);
    if (second === this.#second) {
      this.#count++;
      return;
    }
    this.#remember(this.#second, this.#count);
    this.#second = second;
    this.#count = 1;
    this.#adjust(second);
  }

  #remember(second: number, count: number): void {
    const reach = Math.min(2 * this.seconds, maxSeconds);
    this.#history = [...this.#history, { second, count }].filter((past) => second - past.second <= reach);
  }

  #adjust(second: number): void {
    const recent = this.#history.filter((past) => past.second < second && second - past.second <= this.seconds);
    const refused = recent.reduce((sum, { count }) => sum + count, 0);
    if (second - this.#raised >= this.seconds && refused >= 3 * this.seconds) {
      this.seconds = Math.min(this.seconds * 2, maxSeconds);
      this.#raised = second;
    } else if (refused < this.seconds && this.seconds > 1) this.seconds--;
  }
}
