import { type FlowControlFamilies, flowControlFamilies } from './flow-control-families.ts';
import type { Registry } from './prometheus/registry.ts';
import type { CounterSeries, GaugeSeries, HistogramSeries, TimingHistogram } from './prometheus/series.ts';

export type Rejection = 'queue-full' | 'concurrency-limit' | 'time-out';

export interface Limits {
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
}

/** Metrics of flow control. Labels are the configured levels and schemas, so their number is bounded. */
export class FlowControlMetrics {
  readonly families: FlowControlFamilies;
  readonly #flows = new Map<string, FlowSeries>();
  readonly #levels = new Map<string, LevelSeries>();

  constructor(registry: Registry, now: () => number) {
    this.families = flowControlFamilies(registry, now);
  }

  flow(level: string, schema: string): FlowSeries {
    const key = `${level}/${schema}`;
    const known = this.#flows.get(key);
    if (known) return known;
    const series = new FlowSeries(this.families, level, schema);
    this.#flows.set(key, series);
    return series;
  }

  /** Executing or waiting requests, relative to the limit. */
  load(phase: 'executing' | 'waiting', kind: 'readOnly' | 'mutating'): TimingHistogram {
    return this.families.readVsWrite.with({ phase, request_kind: kind });
  }

  level(name: string): LevelSeries {
    const known = this.#levels.get(name);
    if (known) return known;
    const series = new LevelSeries(this.families, name);
    this.#levels.set(name, series);
    return series;
  }
}

/** Series of one FlowSchema, created on first use. */
export class FlowSeries {
  readonly #families: FlowControlFamilies;
  readonly #labels: { readonly priority_level: string; readonly flow_schema: string };
  #dispatched: CounterSeries | undefined;
  #waited: HistogramSeries | undefined;
  readonly #durations: { regular?: HistogramSeries; watch?: HistogramSeries } = {};
  #estimated: HistogramSeries | undefined;
  #executing: GaugeSeries | undefined;
  #executingSeats: GaugeSeries | undefined;
  #inQueue: { readonly requests: GaugeSeries; readonly seats: GaugeSeries; readonly length: HistogramSeries } | undefined;

  readonly #rejections: Partial<Record<Rejection, CounterSeries>> = {};
  #watchCounts: HistogramSeries | undefined;
  #noAccommodation: CounterSeries | undefined;

  constructor(families: FlowControlFamilies, level: string, schema: string) {
    this.#families = families;
    this.#labels = { priority_level: level, flow_schema: schema };
  }

  get executing(): GaugeSeries {
    this.#executing ??= this.#families.executingRequests.with(this.#labels);
    return this.#executing;
  }

  get executingSeats(): GaugeSeries {
    this.#executingSeats ??= this.#families.executingSeats.with(this.#labels);
    return this.#executingSeats;
  }

  /** A request got its seats after `waited` seconds. */
  dispatched(waited: number): void {
    this.#waited ??= this.#families.waitSeconds.with({ ...this.#labels, execute: 'true' });
    this.#waited.observe(waited);
    this.began();
  }

  began(): void {
    this.#dispatched ??= this.#families.dispatched.with(this.#labels);
    this.#dispatched.increase();
    this.executing.add(1);
  }

  executed(seconds: number, isWatch: boolean): void {
    this.executing.add(-1);
    const type = isWatch ? 'watch' : 'regular';
    const duration = this.#durations[type] ?? this.#duration(type);
    this.#durations[type] = duration;
    duration.observe(seconds);
  }

  #duration(type: 'regular' | 'watch'): HistogramSeries {
    return this.#families.executionSeconds.with({ ...this.#labels, type });
  }

  rejected(reason: Rejection): void {
    const counter = this.#rejections[reason] ?? this.#families.rejected.with({ ...this.#labels, reason });
    this.#rejections[reason] = counter;
    counter.increase();
  }

  gaveUp(waited: number): void {
    this.#families.waitSeconds.with({ ...this.#labels, execute: 'false' }).observe(waited);
  }

  queued(requests: number, seats: number): void {
    this.#inQueue ??= {
      requests: this.#families.inQueueRequests.with(this.#labels),
      seats: this.#families.inQueueSeats.with(this.#labels),
      length: this.#families.queueLength.with(this.#labels),
    };
    this.#inQueue.requests.add(requests);
    this.#inQueue.seats.add(seats);
  }

  /** Length of the queue after a request joined it. */
  queueLength(length: number): void {
    this.#inQueue?.length.observe(length);
  }

  estimated(seats: number): void {
    this.#estimated ??= this.#families.estimatedSeats.with(this.#labels);
    this.#estimated.observe(seats);
  }

  watchCount(count: number): void {
    this.#watchCounts ??= this.#families.watchCounts.with(this.#labels);
    this.#watchCounts.observe(count);
  }

  noAccommodation(): void {
    this.#noAccommodation ??= this.#families.noAccommodation.with(this.#labels);
    this.#noAccommodation.increase();
  }
}

/** Series of one priority level. */
export class LevelSeries {
  readonly executing: TimingHistogram;
  readonly waiting: TimingHistogram;
  readonly #families: FlowControlFamilies;
  readonly #labels: { readonly priority_level: string };
  readonly #seats: TimingHistogram;
  readonly #demand: TimingHistogram;
  #dispatch: Readonly<Record<keyof StartBounds | 'dispatchR' | 'latestS', GaugeSeries>> | undefined;

  constructor(families: FlowControlFamilies, name: string) {
    const labels = { priority_level: name };
    this.#families = families;
    this.#labels = labels;
    this.executing = families.requestUtilization.with({ ...labels, phase: 'executing' });
    this.waiting = families.requestUtilization.with({ ...labels, phase: 'waiting' });
    this.#seats = families.seatUtilization.with({ ...labels, phase: 'executing' });
    this.#demand = families.demand.with(labels);
    this.currentR(0);
  }

  seats(inUse: number, wanted: number, now: number): void {
    this.#seats.set(inUse, now);
    this.#demand.set(wanted, now);
  }

  capacity(seats: number, waiting: number): void {
    for (const histogram of [this.executing, this.#seats, this.#demand]) histogram.setDenominator(seats);
    this.waiting.setDenominator(waiting);
  }

  currentR(value: number): void {
    this.#families.currentR.with(this.#labels).set(value);
  }

  /** A request was dispatched at virtual time `currentR` with virtual start time `start`. */
  dispatch(currentR: number, start: number, starts: StartBounds): void {
    this.#dispatch ??= this.#dispatchGauges();
    const { dispatchR, latestS, min, max, discountedMin, discountedMax } = this.#dispatch;
    dispatchR.set(currentR);
    latestS.set(start);
    min.set(starts.min);
    max.set(starts.max);
    discountedMin.set(starts.discountedMin);
    discountedMax.set(starts.discountedMax);
  }

  #dispatchGauges() {
    const { dispatchR, latestS, nextS, nextDiscountedS } = this.#families;
    const bound = (name: 'min' | 'max') => ({ ...this.#labels, bound: name });
    return {
      dispatchR: dispatchR.with(this.#labels),
      latestS: latestS.with(this.#labels),
      min: nextS.with(bound('min')),
      max: nextS.with(bound('max')),
      discountedMin: nextDiscountedS.with(bound('min')),
      discountedMax: nextDiscountedS.with(bound('max')),
    };
  }

  limits({ nominal, lower, upper }: Limits): void {
    this.#families.nominalLimit.with(this.#labels).set(nominal);
    this.#families.lowerLimit.with(this.#labels).set(lower);
    this.#families.upperLimit.with(this.#labels).set(upper);
  }

  adjusted(values: Adjusted): void {
    this.#families.demandHigh.with(this.#labels).set(values.highWatermark);
    this.#families.demandAverage.with(this.#labels).set(values.average);
    this.#families.demandDeviation.with(this.#labels).set(values.deviation);
    this.#families.demandSmoothed.with(this.#labels).set(values.smoothed);
    this.#families.target.with(this.#labels).set(values.target);
    this.#families.currentLimit.with(this.#labels).set(values.limit);
  }
}

/** Bounds of the queues' virtual start times, also minus the estimated work in progress. */
export interface StartBounds {
  readonly min: number;
  readonly max: number;
  readonly discountedMin: number;
  readonly discountedMax: number;
}

export interface Adjusted {
  readonly highWatermark: number;
  readonly average: number;
  readonly deviation: number;
  readonly smoothed: number;
  readonly target: number;
  readonly limit: number;
}
