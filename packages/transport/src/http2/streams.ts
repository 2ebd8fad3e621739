import type { Http2Exchange } from './exchange.ts';

/** Ids of closed streams that are kept, for late frames. */
const maxClosedIds = 256;

/** The open streams of a connection, and the ids of recently closed ones. */
export class Streams {
  readonly #open = new Map<number, Http2Exchange>();
  /** The largest stream id of the client. */
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

  /** False if it was not open. */
  end(id: number): boolean {
    if (!this.#open.delete(id)) return false;
    this.#ended[this.#endedAt++ % maxClosedIds] = id;
    return true;
  }

  /** Records that the server reset a stream: the client may still send frames for it. */
  noteReset(id: number): void {
    this.#reset[this.#resetAt++ % maxClosedIds] = id;
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

  /** Removes and returns the open streams. */
  endAll(): Http2Exchange[] {
    const open = [...this.#open.values()];
    this.#open.clear();
    return open;
  }
}
