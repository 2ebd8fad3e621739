import type { TLSSocket } from 'node:tls';
import type { Answer } from '../http/answer.ts';
import type { UpgradedConnection } from '../http/exchange.ts';
import { type ExchangeHandlerOptions, handleExchange } from '../http/serve.ts';
import { connectionOf, type TlsConnection } from '../http/tls-connection.ts';
import { onceDrained } from './body-writer.ts';
import type { Http1Dispatchable, Http1DispatchQueue } from './dispatch-queue.ts';
import { type ExchangeHost, Http1Exchange, UpgradeExchange } from './exchange.ts';
import { errorResponse, HttpError } from './http-error.ts';
import { Http1RequestBody } from './request-body.ts';
import { ReceiveBuffer, RequestReader } from './request-reader.ts';
import type { WebSocketAcceptor } from './websocket.ts';
import { dropAnswer, idleTimeoutMs, writeAnswer } from './write-answer.ts';

/** Input read from the socket while an exchange is open; beyond this it is paused. */
const maxHeldBytes = 64 * 1024;
/** With more than this in the write queue, the next pipelined request waits. */
const maxQueuedBytes = 1 << 20;
/** Time for a client to send the rest of a body that is discarded. */
const maxDiscardMs = 5000;
/** Time for a client to close its side after the server has closed its own. */
const maxLingerMs = 5000;

/** Shared by all connections of a server. */
export interface Http1Host extends ExchangeHandlerOptions {
  readonly isClosing: boolean;
  /** Every answer is the last one of its connection. */
  readonly isRetiring: boolean;
  readonly headerTimeoutMs: number;
  readonly dispatchQueue: Http1DispatchQueue;
  readonly webSockets: WebSocketAcceptor;
  /** Sent to CONNECT: this server opens no tunnels. */
  readonly connectRefusal: string;
  remove(connection: Http1Connection): void;
}

/**
 * One HTTP/1.1 connection. Pipelined requests are served one after the other: answers leave in order, and a pipelining client gets
 * no larger share of the server.
 */
export class Http1Connection implements ExchangeHost, Http1Dispatchable {
  readonly peer: TlsConnection;
  readonly #socket: TLSSocket;
  readonly #host: Http1Host;
  readonly #received = new ReceiveBuffer();
  readonly #reader = new RequestReader(this.#received);
  #exchange: Http1Exchange | undefined;
  /** Open, half-closed until the client has read the end, or closed or taken over. */
  #phase: 'open' | 'ending' | 'over' = 'open';
  /** Start of the current wait, for timeouts. */
  #waitingSince = performance.now();
  #hasServed = false;
  #isAdvancing = false;
  /** Whether it is in the dispatch queue. */
  #isQueued = false;
  /** The answer that is written with the next flush. */
  #ready: { readonly exchange: Http1Exchange; readonly answer: Answer } | undefined;
  #awaitsDrain = false;
  /** Bytes in the socket's write queue at the last check. */
  #queuedBytes = 0;

  constructor(socket: TLSSocket, host: Http1Host) {
    this.#socket = socket;
    this.#host = host;
    this.peer = connectionOf(socket, socket);
    socket.on('data', this.#onData);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
    socket.on('error', ignore);
  }

  /** Closes at once if idle; otherwise the answer in progress closes it. */
  closeWhenIdle(): void {
    if (this.#phase === 'open' && !this.#exchange && !this.#isQueued) this.#end();
  }

  /** Disconnects a client that exceeds a timeout. Called periodically. */
  check(now: number): void {
    const { writableLength } = this.#socket;
    if (writableLength !== this.#queuedBytes && !this.#isDiscarding) this.#waitingSince = now;
    this.#queuedBytes = writableLength;
    if (now - this.#waitingSince > this.#timeoutMs()) this.#socket.destroy();
  }

  #timeoutMs(): number {
    if (this.#phase !== 'open') return this.#queuedBytes > 0 ? idleTimeoutMs : maxLingerMs;
    if (this.#exchange) return this.#exchange.isAnswered && this.#isDiscarding ? maxDiscardMs : Number.POSITIVE_INFINITY;
    return this.#hasServed && this.#received.length === 0 ? idleTimeoutMs : this.#host.headerTimeoutMs;
  }

  get #isDiscarding(): boolean {
    return this.#exchange?.requestBody?.isComplete === false;
  }

  #onData = (chunk: Buffer): void => {
    if (this.#phase !== 'open') return;
    const wasEmpty = this.#received.length === 0;
    this.#received.push(chunk);
    if (this.#exchange) this.#feed(this.#exchange);
    else {
      if (wasEmpty && this.#hasServed) this.#waitingSince = performance.now();
      this.#enqueue();
    }
    this.#throttle();
  };

  #enqueue(): void {
    if (this.#isQueued) return;
    this.#isQueued = true;
    this.#host.dispatchQueue.add(this);
  }

  get isUrgent(): boolean {
    return this.peer.isUrgent;
  }

  dispatch(): void {
    this.#advance();
    this.#isQueued = false;
    this.#throttle();
  }

  flush(): void {
    const ready = this.#ready;
    this.#ready = undefined;
    if (!ready) return;
    try {
      this.#answer(ready.exchange, ready.answer);
    } catch (error) {
      this.#fail(ready.exchange, error);
    }
  }

  /** Passes received bytes to the body of the current request. */
  #feed(exchange: Http1Exchange): void {
    const { requestBody } = exchange;
    if (!requestBody || requestBody.isComplete) return;
    try {
      this.#reader.feed(requestBody);
    } catch (error) {
      return void this.#reject(error);
    }
    if (requestBody.isComplete && exchange.isWritten) this.#next();
  }

  /** Serves the next requests as far as their heads are complete and no exchange is open. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (this.#isReady() && this.#readRequest());
    } catch (error) {
      this.#reject(error);
    }
    this.#isAdvancing = false;
  }

  #isReady(): boolean {
    if (this.#phase !== 'open' || this.#exchange || this.#received.length === 0) return false;
    if (this.#socket.writableLength <= maxQueuedBytes) return true;
    if (!this.#awaitsDrain) onceDrained(this.#socket, this.#onDrain);
    this.#awaitsDrain = true;
    return false;
  }

  #onDrain = (): void => {
    this.#awaitsDrain = false;
    this.#advance();
    this.#throttle();
  };

  /** False if the next head is incomplete. */
  #readRequest(): boolean {
    const head = this.#reader.readHead();
    if (!head) return false;
    this.#hasServed = true;
    if (head.method === 'CONNECT') this.#endWith(this.#host.connectRefusal);
    else {
      const { framing, offersUpgrade } = head.headers;
      const body = framing === 0 ? undefined : new Http1RequestBody(framing);
      if (body && this.#received.length > 0) this.#reader.feed(body);
      this.#exchange = offersUpgrade ? new UpgradeExchange(this, head, body) : new Http1Exchange(this, head, body);
      this.peer.isUrgent = false;
      handleExchange(this.#host, this.#exchange);
    }
    return true;
  }

  /** Under overload, late answers on urgent connections are written at once. */
  respond(exchange: Http1Exchange, answer: Answer, isLate: boolean): void {
    this.#ready = { exchange, answer };
    if (isLate && this.peer.isUrgent && this.#host.dispatchQueue.isOverloaded) this.flush();
    else this.#enqueue();
  }

  #fail(exchange: Http1Exchange, error: unknown): void {
    this.#host.onError?.(error);
    this.abort(exchange);
  }

  #answer(exchange: Http1Exchange, answer: Answer): void {
    if (answer.kind === 'taken-over') return;
    if (exchange !== this.#exchange || exchange.isAnswered || this.#phase !== 'open') return void dropAnswer(answer);
    exchange.isAnswered = true;
    if (answer.kind === 'stream' && exchange.upgrade)
      return void this.#host.webSockets.accept(exchange as UpgradeExchange, answer);
    const keepsAlive = this.#keepsAlive(exchange, answer);
    this.#discardRest(exchange);
    const onWritten = () => this.#onWritten(exchange, keepsAlive);
    writeAnswer({ socket: this.#socket, exchange, keepsAlive, onWritten }, answer);
  }

  #keepsAlive({ headers, isContinued, requestBody }: Http1Exchange, answer: Answer): boolean {
    if (!headers.keepsAlive || headers.offersUpgrade || this.#host.isRetiring || this.peer.isRetired) return false;
    if (answer.kind === 'bytes' && answer.closesConnection) return false;
    // A client that waits for 100 Continue may or may not send its body now.
    if (headers.awaitsContinue && !isContinued && requestBody?.isComplete === false) return false;
    return headers.minor > 0 || (answer.kind === 'bytes' && hasLength(answer.body));
  }

  /** Many clients read the answer only after they have sent the whole request, so the rest is read and dropped. */
  #discardRest({ requestBody }: Http1Exchange): void {
    if (!requestBody || requestBody.isComplete) return;
    requestBody.discard();
    this.#waitingSince = performance.now();
    this.#socket.resume();
  }

  #onWritten(exchange: Http1Exchange, keepsAlive: boolean): void {
    exchange.isWritten = true;
    if (!keepsAlive) this.#end();
    else if (!this.#isDiscarding) this.#next();
  }

  #next(): void {
    this.#exchange = undefined;
    this.#waitingSince = performance.now();
    if (this.#host.isClosing) return void this.#end();
    if (this.#isAdvancing) return;
    this.#advance();
    this.#throttle();
  }

  /** Backpressure: stops reading while an exchange is open and enough bytes are buffered. */
  #throttle(): void {
    if (this.#phase !== 'open') return;
    const held = this.#received.length + (this.#exchange?.requestBody?.heldBytes ?? 0);
    const isWaiting = this.#exchange !== undefined || this.#socket.writableLength > maxQueuedBytes;
    if (isWaiting && held > maxHeldBytes) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  readBody(exchange: Http1Exchange): void {
    if (exchange.headers.awaitsContinue && !exchange.isContinued && !exchange.isAnswered) {
      exchange.isContinued = true;
      this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
    }
    this.#throttle();
  }

  abort(exchange: Http1Exchange): void {
    if (!exchange.isOver) this.#socket.destroy();
  }

  takeOver(exchange: Http1Exchange): UpgradedConnection {
    this.#phase = 'over';
    this.#host.remove(this);
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.once('close', () => exchange.end(true));
    socket.on('error', () => socket.destroy());
    // Reset to the initial state, so that it flows again when the new owner adds a listener.
    socket.pause();
    (socket as { readableFlowing: boolean | null }).readableFlowing = null;
    return { socket, head: this.#received.takeAll() };
  }

  #reject(error: unknown): void {
    const exchange = this.#exchange;
    if (!(error instanceof HttpError)) {
      this.#host.onError?.(error);
      return void this.#socket.destroy();
    }
    if (exchange?.isAnswered && !exchange.isWritten) return void this.#socket.destroy();
    if (exchange?.isWritten) this.#end();
    else this.#endWith(errorResponse(error));
    exchange?.requestBody?.fail();
    exchange?.end(true);
  }

  #endWith(text: string): void {
    if (this.#socket.writable) this.#socket.write(text, 'latin1');
    this.#end();
  }

  /** Half-closes. Further input is read and dropped: unread data would reset the connection before the client has read the answer. */
  #end(): void {
    this.#phase = 'ending';
    this.#waitingSince = performance.now();
    this.#received.clear();
    this.#socket.end();
    this.#socket.resume();
  }

  /** Requests before the client's FIN are answered if that is possible synchronously. */
  #onEnd = (): void => {
    if (this.#isQueued) {
      this.dispatch();
      this.flush();
    }
    this.#onGone();
  };

  #onGone = (): void => {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#waitingSince = performance.now();
    this.#received.clear();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.requestBody?.fail();
    if (!exchange?.isWritten) exchange?.end(true);
  };

  #onClose = (): void => {
    this.#onGone();
    this.#host.remove(this);
  };
}

const ignore = () => {};

const hasLength = (body: unknown): boolean => typeof body === 'string' || body instanceof Uint8Array;
