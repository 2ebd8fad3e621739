/** How waiting ended: with a place, because it took too long, or because nobody waits for the answer any more. */
export type Outcome = 'admitted' | 'impatient' | 'gone';

/** First come, first served. Who gives up leaves no trace. */
export class WaitingLine {
  readonly #waiters = new Set<(outcome: Outcome) => void>();

  get length(): number {
    return this.#waiters.size;
  }

  /** Waits for `patienceMs`, or without a limit, while the signal is not aborted. */
  join(signal: AbortSignal, patienceMs?: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const end = (outcome: Outcome) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#waiters.delete(end);
        resolve(outcome);
      };
      const leave = () => end('gone');
      const timer = patienceMs === undefined ? undefined : setTimeout(end, patienceMs, 'impatient');
      signal.addEventListener('abort', leave);
      this.#waiters.add(end);
    });
  }

  /** Whether there was somebody to admit. */
  admitFirst(): boolean {
    const [first] = this.#waiters;
    first?.('admitted');
    return first !== undefined;
  }
}
