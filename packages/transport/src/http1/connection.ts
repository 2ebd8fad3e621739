import type { TLSSocket } from 'node:tls';
import type { Answer } from '../http/answer.ts';
import type { ClientConnection, UpgradedConnection } from '../http/exchange.ts';
import { connectionOf } from '../http/tls-connection.ts';
import { onceDrained } from './body-writer.ts';
import type { Http1Dispatchable, Http1DispatchQueue } from './dispatch-queue.ts';
import { type ExchangeHost, Http1Exchange, UpgradeExchange } from './exchange.ts';
import { errorResponse, HttpError } from './http-error.ts';
import { idleTimeoutMs, maxDiscardMs, maxHeldBytes, maxLingerMs, maxQueuedBytes } from './limits.ts';
import { Http1RequestBody } from './request-body.ts';
import { ReceiveBuffer, RequestReader } from './request-reader.ts';
import type { WebSocketAcceptor } from './websocket.ts';
import { dropAnswer, writeAnswer } from './write-answer.ts';

/** What all connections have in common. */
export interface Http1Host {
  readonly isClosing: boolean;
  readonly headerTimeoutMs: number;
  readonly turns: Http1DispatchQueue;
  readonly webSockets: WebSocketAcceptor;
  /** Sent to CONNECT: this server opens no tunnels. */
  readonly connectRefusal: string;
  readonly handle: (exchange: Http1Exchange) => Answer | Promise<Answer>;
  readonly onError?: (error: unknown) => void;
  forget(connection: Http1Connection): void;
}

/**
 * One connection that speaks HTTP/1.1. Requests are taken one after the other, so that answers leave in their order and
 * somebody who sends ahead has no more of the server than anybody else.
 */
export class Http1Connection implements ExchangeHost, Http1Dispatchable {
  readonly peer: ClientConnection;
  readonly #socket: TLSSocket;
  readonly #host: Http1Host;
  readonly #received = new ReceiveBuffer();
  readonly #reader = new RequestReader(this.#received);
  #exchange: Http1Exchange | undefined;
  /** Open, waiting for the client to hear the end, or no longer ours. */
  #phase: 'open' | 'ending' | 'over' = 'open';
  /** When the connection began to wait for what it waits for. */
  #since = performance.now();
  #hasServed = false;
  #isAdvancing = false;
  /** It has asked for its turn. */
  #isWaiting = false;
  /** What was answered and waits to be sent. */
  #ready: { readonly exchange: Http1Exchange; readonly answer: Answer } | undefined;
  #awaitsDrain = false;
  /** What the client had still to take when it was last looked at. */
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

  /** Ends at once if nothing is under way, otherwise with the answer. */
  closeWhenIdle(): void {
    if (this.#phase === 'open' && !this.#exchange && !this.#isWaiting) this.#end();
  }

  /** Gives up a client that takes too long for what is expected of it. */
  check(now: number): void {
    const { writableLength } = this.#socket;
    if (writableLength !== this.#queuedBytes && !this.#isDiscarding) this.#since = now;
    this.#queuedBytes = writableLength;
    if (now - this.#since > this.#patienceMs()) this.#socket.destroy();
  }

  #patienceMs(): number {
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
      if (wasEmpty && this.#hasServed) this.#since = performance.now();
      this.#wait();
    }
    this.#throttle();
  };

  /** For its turn to be answered, or to send. */
  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#host.turns.add(this);
  }

  get isUrgent(): boolean {
    return this.peer.isUrgent;
  }

  take(): void {
    this.#advance();
    this.#isWaiting = false;
    this.#throttle();
  }

  send(): void {
    const ready = this.#ready;
    this.#ready = undefined;
    if (!ready) return;
    try {
      this.#answer(ready.exchange, ready.answer);
    } catch (error) {
      this.#fail(ready.exchange, error);
    }
  }

  /** Gives the body of a request what has come of it. */
  #feed(exchange: Http1Exchange): void {
    const { requestBody } = exchange;
    if (!requestBody || requestBody.isComplete) return;
    try {
      this.#reader.feed(requestBody);
    } catch (error) {
      return void this.#refuse(error);
    }
    if (requestBody.isComplete && exchange.isWritten) this.#next();
  }

  /** Takes the next request if it is whole and nothing stands before it. */
  #advance(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      while (this.#isReady() && this.#takeRequest());
    } catch (error) {
      this.#refuse(error);
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

  /** Gives whether there was one. */
  #takeRequest(): boolean {
    const head = this.#reader.readHead();
    if (!head) return false;
    this.#hasServed = true;
    if (head.method === 'CONNECT') this.#endWith(this.#host.connectRefusal);
    else {
      const { framing, offersUpgrade } = head.block;
      const body = framing === 0 ? undefined : new Http1RequestBody(framing);
      if (body && this.#received.length > 0) this.#reader.feed(body);
      this.#exchange = offersUpgrade ? new UpgradeExchange(this, head, body) : new Http1Exchange(this, head, body);
      this.#serve(this.#exchange);
    }
    return true;
  }

  /** A mistake outside of what turns errors into answers costs this request only. */
  #serve(exchange: Http1Exchange): void {
    this.peer.isUrgent = false;
    try {
      const answer = this.#host.handle(exchange);
      if (answer instanceof Promise)
        answer.then(
          (later) => this.#keepLate(exchange, later),
          (error) => this.#fail(exchange, error),
        );
      else this.#keep(exchange, answer);
    } catch (error) {
      this.#fail(exchange, error);
    }
  }

  /** Under overload, what is urgent does not wait for another turn. */
  #keepLate(exchange: Http1Exchange, answer: Answer): void {
    if (!this.peer.isUrgent || !this.#host.turns.isOverloaded) return void this.#keep(exchange, answer);
    this.#ready = { exchange, answer };
    this.send();
  }

  #keep(exchange: Http1Exchange, answer: Answer): void {
    this.#ready = { exchange, answer };
    this.#wait();
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
    const stays = this.#staysAfter(exchange, answer);
    this.#discardRest(exchange);
    const written = () => this.#onWritten(exchange, stays);
    writeAnswer({ socket: this.#socket, exchange, stays, written }, answer);
  }

  #staysAfter({ block, isContinued, requestBody }: Http1Exchange, answer: Answer): boolean {
    if (!block.keepsAlive || block.offersUpgrade || this.#host.isClosing) return false;
    // Nobody can tell whether a client that still waits for a word will send its body.
    if (block.awaitsContinue && !isContinued && requestBody?.isComplete === false) return false;
    return block.minor > 0 || (answer.kind === 'bytes' && hasLength(answer.body));
  }

  /** Many clients listen only when they have said everything: closed before that, they would never hear the answer. */
  #discardRest({ requestBody }: Http1Exchange): void {
    if (!requestBody || requestBody.isComplete) return;
    requestBody.discard();
    this.#since = performance.now();
    this.#socket.resume();
  }

  #onWritten(exchange: Http1Exchange, stays: boolean): void {
    exchange.isWritten = true;
    if (!stays) this.#end();
    else if (!this.#isDiscarding) this.#next();
  }

  #next(): void {
    this.#exchange = undefined;
    this.#since = performance.now();
    if (this.#host.isClosing) return void this.#end();
    if (this.#isAdvancing) return;
    this.#advance();
    this.#throttle();
  }

  /** What is not wanted yet stays with the network beyond a certain measure. */
  #throttle(): void {
    if (this.#phase !== 'open') return;
    const held = this.#received.length + (this.#exchange?.requestBody?.heldBytes ?? 0);
    const isWaiting = this.#exchange !== undefined || this.#socket.writableLength > maxQueuedBytes;
    if (isWaiting && held > maxHeldBytes) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  wantBody(exchange: Http1Exchange): void {
    if (exchange.block.awaitsContinue && !exchange.isContinued && !exchange.isAnswered) {
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
    this.#host.forget(this);
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.once('close', () => exchange.end(true));
    socket.on('error', () => socket.destroy());
    // As if nobody had listened yet: it flows again when somebody does.
    socket.pause();
    (socket as { readableFlowing: boolean | null }).readableFlowing = null;
    return { socket, head: this.#received.takeAll() };
  }

  #refuse(error: unknown): void {
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

  /** Says that nothing more comes. What the client still says is not listened to, but taken, or it would not hear us. */
  #end(): void {
    this.#phase = 'ending';
    this.#since = performance.now();
    this.#received.clear();
    this.#socket.end();
    this.#socket.resume();
  }

  /** What was said before is answered, if that can be done at once. */
  #onEnd = (): void => {
    if (this.#isWaiting) {
      this.take();
      this.send();
    }
    this.#onGone();
  };

  #onGone = (): void => {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#since = performance.now();
    this.#received.clear();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    exchange?.requestBody?.fail();
    if (!exchange?.isWritten) exchange?.end(true);
  };

  #onClose = (): void => {
    this.#onGone();
    this.#host.forget(this);
  };
}

const ignore = () => {};

const hasLength = (body: unknown): boolean => typeof body === 'string' || body instanceof Uint8Array;
