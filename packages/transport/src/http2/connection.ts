import type { Duplex } from 'node:stream';
import type { BytesAnswer } from '../http/answer.ts';
import type { ClientConnection } from '../http/exchange.ts';
import { TokenBucket } from '../http/token-bucket.ts';
import type { Http2Dispatchable, Http2DispatchQueue } from './dispatch-queue.ts';
import { drainBody, Http2Exchange, type StreamOwner } from './exchange.ts';
import { continueFrame, goAwayFrame, pingAcknowledgement, resetFrame, settingsAcknowledgement } from './frames.ts';
import { errorCode, Http2ConnectionError } from './protocol.ts';
import { type FrameEvents, FrameReceiver } from './receiver.ts';
import type { HeaderLimits, RequestFields } from './request-fields.ts';
import { FrameSender } from './sender.ts';
import { defaultSettings, initialFrames, readSettings } from './settings.ts';
import { Streams } from './streams.ts';
import { ReceiveWindows, streamWindow, widened } from './windows.ts';

export interface Http2ConnectionOptions {
  readonly maxStreams: number;
  readonly headerLimits: HeaderLimits;
  /** Limit for the connection preface, and for a header block in several frames. */
  readonly headerTimeoutMs: number;
  /** A connection without streams, or one whose client reads nothing, is closed after this time. */
  readonly idleTimeoutMs: number;
  /** Probability that a request is the last of its connection. */
  readonly goawayChance: number;
  /** Shared by all connections of a server. */
  readonly dispatchQueue: Http2DispatchQueue;
  /** Clock of the rate limits, in milliseconds. */
  readonly now?: () => number;
  /** Uniform in [0, 1), for `goawayChance`. */
  readonly random?: () => number;
  readonly onExchange: (exchange: Http2Exchange) => void;
  readonly onError: (error: unknown) => void;
}

/** Rate limit of streams that end by RST_STREAM, from either side (rapid reset). */
const resetRate = { burst: 1000, perSecond: 100 };
/** Rate limit of frames without effect. */
const noEffectRate = { burst: 10_000, perSecond: 1000 };
/** Control frames that may wait for a client that does not read. */
const maxWaitingFrames = 10_000;
/** Time for the client to read the last frames before the socket is destroyed. */
const lingerMs = 1000;

/** One HTTP/2 connection. */
export class Http2Connection implements StreamOwner, FrameEvents, Http2Dispatchable {
  readonly connection: ClientConnection;
  readonly #socket: Duplex;
  readonly #options: Http2ConnectionOptions;
  readonly #streams = new Streams();
  readonly #sender: FrameSender;
  readonly #receiver: FrameReceiver;
  readonly #windows: ReceiveWindows;
  readonly #resets: TokenBucket;
  readonly #idle: StallTimer;
  readonly #stalledWrite: StallTimer;
  readonly #incompleteHeader: StallTimer;
  #peer = defaultSettings;
  #arrived: Http2Exchange[] = [];
  /** Changes with every read and every closed stream. */
  #activity = 0;
  #isClosing = false;
  #isEnded = false;

  constructor(socket: Duplex, connectionOf: (owner: Http2Connection) => ClientConnection, options: Http2ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#resets = new TokenBucket(resetRate.burst, resetRate.perSecond, options.now);
    this.#idle = new StallTimer(options.idleTimeoutMs);
    this.#stalledWrite = new StallTimer(options.idleTimeoutMs);
    this.#incompleteHeader = new StallTimer(options.headerTimeoutMs);
    this.connection = connectionOf(this);
    this.#sender = new FrameSender({
      socket,
      onComplete: (exchange) => this.#responseSent(exchange),
      onFailed: (exchange) => this.reset(exchange, errorCode.internal),
      onError: (error) => this.#destroy(error),
      onIdle: () => this.#closeIfDone(),
    });
    this.#windows = new ReceiveWindows((frame) => this.#control(frame));
    this.#receiver = new FrameReceiver(
      this.#streams,
      this,
      options.headerLimits,
      new TokenBucket(noEffectRate.burst, noEffectRate.perSecond, options.now),
    );
    this.#control(initialFrames(options.maxStreams, options.headerLimits.bytes));
    this.#listen();
  }

  /** Sends GOAWAY, finishes the open streams and closes. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#sender.goAway(goAwayFrame(this.#streams.lastId, errorCode.none, ''));
  }

  /** Checks the timeouts. Called periodically. */
  check(elapsedMs: number): void {
    const { writes, isWriting } = this.#sender;
    if (this.#incompleteHeader.isStalled(this.#receiver.incomplete, elapsedMs)) this.#socket.destroy();
    else if (this.#stalledWrite.isStalled(isWriting ? writes : undefined, elapsedMs)) this.#socket.destroy();
    else if (this.#idle.isStalled(this.#streams.size === 0 ? this.#activity : undefined, elapsedMs)) this.close();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {});
    // HTTP/2 has no half-closed connections: incomplete requests will not be completed.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#closeStreams());
  }

  #receive(chunk: Buffer): void {
    this.#activity++;
    try {
      this.#receiver.read(chunk);
      if (this.#arrived.length > 0) this.#options.dispatchQueue.arrived(this);
    } catch (error) {
      if (error instanceof Http2ConnectionError) this.#fail(error.code, error.message);
      else this.#destroy(error);
    }
  }

  get isUrgent(): boolean {
    return this.connection.isUrgent;
  }

  /** Called after the whole chunk is read, so that a request which is reset at once costs nothing. */
  dispatch(most: number): void {
    const arrived = this.#arrived;
    let at = 0;
    for (let dispatched = 0; at < arrived.length; at++) {
      const exchange = arrived[at] as Http2Exchange;
      if (exchange.isClosed) continue;
      if (dispatched === most || !this.#options.dispatchQueue.take(exchange.fields.bytes, this.connection.isUrgent)) break;
      this.#serve(exchange);
      dispatched++;
    }
    this.#arrived = at < arrived.length ? arrived.slice(at) : [];
    if (this.#arrived.length > 0) this.#options.dispatchQueue.wait(this);
  }

  /** A client that exceeds the header limit gets 431 and GOAWAY. */
  #serve(exchange: Http2Exchange): void {
    this.connection.isUrgent = false;
    if (!exchange.fields.isTooLarge) return void this.#options.onExchange(exchange);
    exchange.respond(tooLargeHeader);
    this.close();
  }

  request(id: number, fields: RequestFields, hasBody: boolean): void {
    // The id is above the last one of the GOAWAY. The client repeats the request elsewhere; a RST_STREAM could reach it first.
    if (this.#isClosing) return void this.#streams.noteReset(id);
    if (this.#streams.size >= this.#options.maxStreams) return void this.streamError(id, errorCode.refusedStream);
    const exchange = new Http2Exchange(this, id, fields, hasBody, this.#peer.initialWindow, streamWindow);
    this.#streams.open(exchange);
    this.#arrived.push(exchange);
    const { goawayChance, random = Math.random } = this.#options;
    if (goawayChance > 0 && random() < goawayChance) this.close();
  }

  spendWindow(exchange: Http2Exchange | undefined, bytes: number): boolean {
    return this.#windows.spend(exchange, bytes);
  }

  refundWindow(bytes: number): void {
    this.#windows.refund(bytes);
  }

  bodyConsumed(exchange: Http2Exchange, bytes: number): void {
    this.#windows.bodyConsumed(exchange, bytes);
  }

  /** A client that provokes resets wastes work as one that resets streams itself does (CVE-2025-8671): both are counted. */
  streamError(id: number, code: number): void {
    this.#resetStream(id, code);
    this.#countReset();
  }

  reset(exchange: Http2Exchange, code: number): void {
    if (!exchange.isClosed) this.#resetStream(exchange.id, code);
  }

  cancelled(exchange: Http2Exchange): void {
    this.#end(exchange);
    this.#countReset();
  }

  #resetStream(id: number, code: number): void {
    const exchange = this.#streams.get(id);
    this.#control(resetFrame(id, code));
    this.#streams.noteReset(id);
    if (exchange) this.#end(exchange);
  }

  #countReset(): void {
    if (!this.#resets.take()) throw new Http2ConnectionError(errorCode.enhanceYourCalm, 'too many stream resets');
  }

  requestComplete(exchange: Http2Exchange): void {
    exchange.isRequestComplete = true;
    if (exchange.incoming?.end() === false) this.streamError(exchange.id, errorCode.protocol);
    else if (exchange.isResponseSent) this.#end(exchange);
  }

  settings(bytes: Buffer, start: number, end: number): void {
    const before = this.#peer;
    this.#peer = readSettings(before, bytes, start, end);
    this.#sender.encoder.limitTable(this.#peer.headerTableBytes);
    const change = this.#peer.initialWindow - before.initialWindow;
    if (change !== 0) for (const exchange of this.#streams.all()) this.#widenStream(exchange, change, true);
    this.#control(settingsAcknowledgement);
  }

  ping(payload: Buffer): void {
    this.#control(pingAcknowledgement(payload));
  }

  goAway(): void {
    this.close();
  }

  windowUpdate(exchange: Http2Exchange | undefined, bytes: number): void {
    if (exchange) return void this.#widenStream(exchange, bytes, false);
    if (widened(this.#sender.window, bytes) === undefined) throw windowOverflow();
    this.#sender.widenWindow(bytes);
  }

  #widenStream(exchange: Http2Exchange, bytes: number, isConnectionError: boolean): void {
    const window = widened(exchange.sendWindow, bytes);
    if (window === undefined) {
      if (isConnectionError) throw windowOverflow();
      return void this.streamError(exchange.id, errorCode.flowControl);
    }
    exchange.sendWindow = window;
    if (window > 0 && exchange.outgoing) this.#sender.ready(exchange);
  }

  send(exchange: Http2Exchange): void {
    this.#sender.ready(exchange);
  }

  sendContinue(exchange: Http2Exchange): void {
    if (!exchange.isClosed && !exchange.isRequestComplete) this.#control(continueFrame(exchange.id));
  }

  #control(frame: Buffer): void {
    this.#sender.control(frame);
    if (this.#sender.waitingFrames > maxWaitingFrames) this.#fail(errorCode.enhanceYourCalm, 'too many unread control frames');
  }

  #end(exchange: Http2Exchange): void {
    if (!this.#streams.end(exchange.id)) return;
    this.#activity++;
    exchange.close();
    this.#closeIfDone();
  }

  #responseSent(exchange: Http2Exchange): void {
    exchange.isResponseSent = true;
    if (exchange.isRequestComplete) this.#end(exchange);
    else drainBody(exchange, () => this.reset(exchange, errorCode.none));
  }

  #closeIfDone(): void {
    if (!this.#isClosing || this.#isEnded || this.#streams.size > 0 || !this.#sender.isIdle) return;
    this.#isEnded = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  /** Connection error: sends GOAWAY with the code and closes. */
  #fail(code: number, reason: string): void {
    this.#isClosing = true;
    this.#receiver.stop();
    this.#sender.drop();
    this.#sender.control(goAwayFrame(this.#streams.lastId, code, reason));
    this.#closeStreams();
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #destroy(error: unknown): void {
    this.#options.onError(error);
    this.#socket.destroy();
  }

  #closeStreams(): void {
    this.#arrived = [];
    for (const exchange of this.#streams.endAll()) exchange.close();
  }
}

function windowOverflow(): Http2ConnectionError {
  return new Http2ConnectionError(errorCode.flowControl, 'window too large');
}

/** Measures how long a state has not changed, in steps of its caller's interval. */
class StallTimer {
  readonly #limitMs: number;
  #state: unknown;
  #ms = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Whether the state is defined and has been the same for the limit. */
  isStalled(state: unknown, elapsedMs: number): boolean {
    this.#ms = state === this.#state ? this.#ms + elapsedMs : 0;
    this.#state = state;
    return state !== undefined && this.#ms >= this.#limitMs;
  }
}

/** The body is that of Go's server. */
const tooLargeHeader: BytesAnswer = {
  kind: 'bytes',
  status: 431,
  type: 'text/html; charset=utf-8',
  body: Buffer.from('<h1>HTTP Error 431</h1><p>Request Header HeaderField(s) Too Large</p>'),
};
