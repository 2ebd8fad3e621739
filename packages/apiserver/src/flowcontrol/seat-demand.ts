/** Decay of the smoothed demand per adjustment period. */
const smoothing = 0.977;

/** Seat demand of a priority level over time, which borrowing is based on. */
export class SeatDemand {
  highWatermark = 0;
  average = 0;
  deviation = 0;
  smoothed = 0;
  #value = 0;
  #highest = 0;
  #since: number;
  #elapsed = 0;
  #sum = 0;
  #squares = 0;

  constructor(now: number) {
    this.#since = now;
  }

  /** `now` is in seconds. */
  set(value: number, now: number): void {
    this.#advance(now);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** Counts a peak without duration. */
  touch(value: number): void {
    if (value > this.#highest) this.#highest = value;
  }

  /** Ends an adjustment period and starts the next. */
  settle(now: number): void {
    this.#advance(now);
    this.highWatermark = this.#highest;
    if (this.#elapsed > 0) this.#summarize();
    this.#highest = this.#value;
    this.#elapsed = 0;
    this.#sum = 0;
    this.#squares = 0;
  }

  #summarize(): void {
    this.average = this.#sum / this.#elapsed;
    this.deviation = Math.sqrt(Math.max(0, this.#squares / this.#elapsed - this.average ** 2));
    const envelope = this.average + this.deviation;
    this.smoothed = Math.max(envelope, smoothing * this.smoothed + (1 - smoothing) * envelope);
  }

  #advance(now: number): void {
    const elapsed = now - this.#since;
    this.#since = now;
    this.#elapsed += elapsed;
    this.#sum += this.#value * elapsed;
    this.#squares += this.#value * this.#value * elapsed;
  }
}
