const maxSeconds = 32;

/** How long those who are turned away should stay away: longer while many are, shorter again when it gets quiet. */
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
