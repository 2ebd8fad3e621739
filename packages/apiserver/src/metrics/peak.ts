/**
 * The highest value of about the last second. A value that changes many times between two scrapes would otherwise be
 * shown as whatever it happens to be.
 */
export class Peak {
  readonly #now: () => number;
  #second = 0;
  #value = 0;
  #highest = 0;
  #highestBefore = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  set(value: number): void {
    this.#turn();
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  add(difference: number): void {
    this.set(this.#value + difference);
  }

  read(): number {
    this.#turn();
    return Math.max(this.#highest, this.#highestBefore);
  }

  /** Begins a new second if one has begun. */
  #turn(): void {
    const second = Math.floor(this.#now() / 1000);
    if (second === this.#second) return;
    this.#highestBefore = second === this.#second + 1 ? this.#highest : this.#value;
    this.#highest = this.#value;
    this.#second = second;
  }
}
