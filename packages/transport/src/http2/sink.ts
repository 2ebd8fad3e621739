import type { Sink } from '../http/answer.ts';
import type { Http2Exchange } from './exchange.ts';
import type { QueuedBody } from './response-body.ts';

/** What is written in one turn leaves with everything else that the connection has to send. */
export class Http2Sink implements Sink {
  readonly #exchange: Http2Exchange;
  readonly #body: QueuedBody;
  readonly #send: () => void;

  constructor(exchange: Http2Exchange, body: QueuedBody, send: () => void) {
    this.#exchange = exchange;
    this.#body = body;
    this.#send = send;
  }

  get buffered(): number {
    return this.#body.buffered;
  }

  write(_frames: readonly Uint8Array[], joined: Uint8Array): void {
    if (this.#exchange.isClosed) return;
    this.#body.push(joined);
    this.#send();
  }

  onDrain(listener: () => void): void {
    if (this.#body.buffered > 0) this.#body.onDrain(listener);
    else setImmediate(listener);
  }

  end(): void {
    if (this.#exchange.isClosed) return;
    this.#body.end();
    this.#send();
  }

  abort(): void {
    this.#exchange.abort();
  }

  onClose(listener: () => void): void {
    this.#exchange.onClose(listener);
  }
}
