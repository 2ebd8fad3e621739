import type { Http2Exchange } from './exchange.ts';
import { windowUpdateFrame } from './frames.ts';
import { defaultWindow, errorCode, Http2ConnectionError, maxWindow } from './protocol.ts';

/** Bytes of a body that a client may send before the handler reads it. */
export const streamWindow = 256 * 1024;
export const connectionWindow = 4 * streamWindow;

/** Receive windows. WINDOW_UPDATE is sent when half of a window is used. */
export class ReceiveWindows {
  readonly #control: (frame: Buffer) => void;
  #connection = connectionWindow;
  #unsentCredit = 0;

  constructor(control: (frame: Buffer) => void) {
    this.#control = control;
  }

  /** False if the stream's window is exceeded. Throws Http2ConnectionError if the connection's is. */
  spend(exchange: Http2Exchange | undefined, bytes: number): boolean {
    this.#connection -= bytes;
    if (this.#connection < 0) throw new Http2ConnectionError(errorCode.flowControl, 'connection window exceeded');
    if (!exchange) return true;
    exchange.receiveWindow -= bytes;
    return exchange.receiveWindow >= 0;
  }

  refund(bytes: number): void {
    this.#unsentCredit += bytes;
    if (this.#unsentCredit < connectionWindow / 2) return;
    this.#control(windowUpdateFrame(0, this.#unsentCredit));
    this.#connection += this.#unsentCredit;
    this.#unsentCredit = 0;
  }

  /** Also widens the stream's window, if more of the body is to come. */
  bodyConsumed(exchange: Http2Exchange, bytes: number): void {
    this.refund(bytes);
    if (exchange.isRequestComplete || exchange.isClosed) return;
    exchange.unsentCredit += bytes;
    if (exchange.unsentCredit < streamWindow / 2) return;
    this.#control(windowUpdateFrame(exchange.id, exchange.unsentCredit));
    exchange.receiveWindow += exchange.unsentCredit;
    exchange.unsentCredit = 0;
  }
}

/** Increment from the default connection window, sent first. */
export const connectionWindowIncrement = connectionWindow - defaultWindow;

/** A send window after WINDOW_UPDATE; undefined if it exceeds the maximum. */
export function widened(window: number, bytes: number): number | undefined {
  return window + bytes > maxWindow ? undefined : window + bytes;
}
