import type { Http2Exchange } from './exchange.ts';

/** So many streams that are over are remembered, for what may still come for them. */
const remembered = 256;

/** The streams of a connection: those that are open, and what is known of those that were. */
export class Streams {
  readonly #open = new Map<number, Http2Exchange>();
  /** The largest number that the client has used. */
  lastId = 0;
  readonly #ended: number[] = [];
  #endedAt = 0;
  readonly #reset: number[] = [];
  #resetAt = 0;

  get size(): number {
    return this.#open.size;
  }

  get(id: number): Http2Exchange | undefined {
    return this.#open.get(id);
  }

  open(exchange: Http2Exchange): void {
    this.#open.set(exchange.id, exchange);
  }

  /** Gives whether it was open. */
  end(id: number): boolean {
    if (!this.#open.delete(id)) return false;
    this.#ended[this.#endedAt++ % remembered] = id;
    return true;
  }

  /** The client may not know yet that nobody listens. */
  noteReset(id: number): void {
    this.#reset[this.#resetAt++ % remembered] = id;
  }

  wasReset(id: number): boolean {
    return this.#reset.includes(id);
  }

  hasEnded(id: number): boolean {
    return this.#ended.includes(id);
  }

  isIdle(id: number): boolean {
    return id > this.lastId;
  }

  all(): Iterable<Http2Exchange> {
    return this.#open.values();
  }

  /** Gives those that were open. */
  endAll(): Http2Exchange[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }
}
