import type { CacheEvent } from './entry.ts';

/** The newest events in order, bounded in number and bytes. */
export class History {
  readonly #maxEvents: number;
  readonly #maxBytes: number;
  readonly #onForget: (event: CacheEvent) => void;
  #events: CacheEvent[] = [];
  #head = 0;
  #bytes = 0;
  /** Every event after this revision is held. */
  #floor: number;

  constructor(floor: number, maxEvents: number, maxBytes: number, onForget: (event: CacheEvent) => void) {
    this.#floor = floor;
    this.#maxEvents = maxEvents;
    this.#maxBytes = maxBytes;
    this.#onForget = onForget;
  }

  get #isFull(): boolean {
    return this.#events.length - this.#head > this.#maxEvents || this.#bytes > this.#maxBytes;
  }

  get floor(): number {
    return this.#floor;
  }

  push(event: CacheEvent): void {
    this.#events.push(event);
    this.#bytes += event.weight;
    while (this.#isFull) this.#forgetOldest();
    if (this.#head > 1024 && this.#head * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Events with a revision greater than `after`; undefined if some of them are forgotten. */
  after(after: number): CacheEvent[] | undefined {
    if (after < this.#floor) return undefined;
    let low = this.#head;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as CacheEvent).entry.revision <= after) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }

  /** Lets go of events up to a revision. Where there are none the floor stays, so a watch of quiet keys can still resume. */
  forget(revision: number): void {
    while ((this.#events[this.#head]?.entry.revision ?? Number.POSITIVE_INFINITY) <= revision) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const event = this.#events[this.#head];
    if (!event) return;
    this.#events[this.#head++] = undefined as unknown as CacheEvent;
    this.#bytes -= event.weight;
    this.#floor = event.entry.revision;
    this.#onForget(event);
  }
}
