/** How long something has been the same, counted in the steps in which somebody looks at it. */
export class Patience {
  readonly #limitMs: number;
  #what: unknown;
  #ms = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Gives whether it has been this, and not undefined, for too long. */
  isLost(what: unknown, elapsedMs: number): boolean {
    this.#ms = what === this.#what ? this.#ms + elapsedMs : 0;
    this.#what = what;
    return what !== undefined && this.#ms >= this.#limitMs;
  }
}
