import type { Http2Exchange } from './exchange.ts';
import { windowUpdateFrame } from './frames.ts';
import { ConnectionError, defaultWindow, errorCode, maxWindow } from './protocol.ts';

/** So much of a body a client may send before anybody asks for it. */
export const streamWindow = 256 * 1024;
export const connectionWindow = 4 * streamWindow;

/** What the client may send. It is told of room when that is worth a frame. */
export class ReceiveWindows {
  readonly #control: (frame: Buffer) => void;
  #connection = connectionWindow;
  #untold = 0;

  constructor(control: (frame: Buffer) => void) {
    this.#control = control;
  }

  /** Gives whether the stream had room. Fails with ConnectionError if the connection had none. */
  spend(exchange: Http2Exchange | undefined, bytes: number): boolean {
    this.#connection -= bytes;
    if (this.#connection < 0) throw new ConnectionError(errorCode.flowControl, 'more data than the connection takes');
    if (!exchange) return true;
    exchange.receiveWindow -= bytes;
    return exchange.receiveWindow >= 0;
  }

  refund(bytes: number): void {
    this.#untold += bytes;
    if (this.#untold < connectionWindow / 2) return;
    this.#control(windowUpdateFrame(0, this.#untold));
    this.#connection += this.#untold;
    this.#untold = 0;
  }

  /** The same for a stream of which more is expected. */
  taken(exchange: Http2Exchange, bytes: number): void {
    this.refund(bytes);
    if (exchange.isRequestComplete || exchange.isClosed) return;
    exchange.untoldWindow += bytes;
    if (exchange.untoldWindow < streamWindow / 2) return;
    this.#control(windowUpdateFrame(exchange.id, exchange.untoldWindow));
    exchange.receiveWindow += exchange.untoldWindow;
    exchange.untoldWindow = 0;
  }
}

/** What the connection takes at once beyond what every connection does. */
export const connectionWindowIncrement = connectionWindow - defaultWindow;

/** A window that the client widens, or undefined if it cannot be so wide. */
export function widened(window: number, bytes: number): number | undefined {
  return window + bytes > maxWindow ? undefined : window + bytes;
}
