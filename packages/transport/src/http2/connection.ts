import type { Duplex } from 'node:stream';
import type { BytesAnswer } from '../http/answer.ts';
import type { ClientConnection } from '../http/exchange.ts';
import { TokenBucket } from '../http/token-bucket.ts';
import type { Http2Dispatchable, Http2DispatchQueue } from './dispatch-queue.ts';
import { drainBody, Http2Exchange, type StreamOwner } from './exchange.ts';
import { continueFrame, goAwayFrame, pingAcknowledgement, resetFrame, settingsAcknowledgement } from './frames.ts';
import { ConnectionError, errorCode } from './protocol.ts';
import { type FrameEvents, FrameReceiver } from './receiver.ts';
import type { HeaderLimits, RequestFields } from './request-fields.ts';
import { FrameSender } from './sender.ts';
import { defaultSettings, greeting, readSettings } from './settings.ts';
import { Streams } from './streams.ts';
import { ReceiveWindows, streamWindow, widened } from './windows.ts';

export interface Http2ConnectionOptions {
  readonly maxStreams: number;
  readonly fieldLimits: HeaderLimits;
  /** Who has not finished what must come first, or a header that has begun, is cut off after this time. */
  readonly headerTimeoutMs: number;
  /** A connection without streams ends after this time; so does one that takes nothing of what it is sent. */
  readonly idleTimeoutMs: number;
  /** How likely a request is to be the last of its connection. */
  readonly goawayChance: number;
  /** Shared by all sessions of a server. */
  readonly turns: Http2DispatchQueue;
  readonly onExchange: (exchange: Http2Exchange) => void;
  readonly onError: (error: unknown) => void;
}

/** Streams that clients give up, or have reset by breaking a rule: some always are, but not thousands. */
const cancelled = { burst: 1000, perSecond: 100 };
/** Frames that ask for nothing. */
const vain = { burst: 10_000, perSecond: 1000 };
/** More frames than this waiting for a client that does not read are too many. */
const maxWaitingFrames = 10_000;
/** So long the client may take to hear why the connection ends. */
const lingerMs = 1000;

/** One connection that speaks HTTP/2. */
export class Http2Connection implements StreamOwner, FrameEvents, Http2Dispatchable {
  readonly connection: ClientConnection;
  readonly #socket: Duplex;
  readonly #options: Http2ConnectionOptions;
  readonly #streams = new Streams();
  readonly #sender: FrameSender;
  readonly #receiver: FrameReceiver;
  readonly #windows: ReceiveWindows;
  readonly #cancellations = new TokenBucket(cancelled.burst, cancelled.perSecond);
  readonly #idle: StallTimer;
  readonly #stuck: StallTimer;
  readonly #unfinished: StallTimer;
  #peer = defaultSettings;
  #arrived: Http2Exchange[] = [];
  /** Changes whenever something comes or goes. */
  #activity = 0;
  #isClosing = false;
  #isEnded = false;

  constructor(socket: Duplex, connectionOf: (session: Http2Connection) => ClientConnection, options: Http2ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#idle = new StallTimer(options.idleTimeoutMs);
    this.#stuck = new StallTimer(options.idleTimeoutMs);
    this.#unfinished = new StallTimer(options.headerTimeoutMs);
    this.connection = connectionOf(this);
    this.#sender = new FrameSender({
      socket,
      onComplete: (exchange) => this.#answered(exchange),
      onFailed: (exchange) => this.reset(exchange, errorCode.internal),
      onError: (error) => this.#break(error),
      onIdle: () => this.#endIfDone(),
    });
    this.#windows = new ReceiveWindows((frame) => this.#control(frame));
    this.#receiver = new FrameReceiver(this.#streams, this, options.fieldLimits, new TokenBucket(vain.burst, vain.perSecond));
    this.#control(greeting(options.maxStreams, options.fieldLimits.bytes));
    this.#listen();
  }

  /** Takes no more requests, finishes those there are, and ends the connection. */
  close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#sender.goAway(goAwayFrame(this.#streams.lastId, errorCode.none, ''));
  }

  /** Called from time to time. */
  check(elapsedMs: number): void {
    const { writes, isWriting } = this.#sender;
    if (this.#unfinished.isStalled(this.#receiver.unfinished, elapsedMs)) this.#socket.destroy();
    else if (this.#stuck.isStalled(isWriting ? writes : undefined, elapsedMs)) this.#socket.destroy();
    else if (this.#idle.isStalled(this.#streams.size === 0 ? this.#activity : undefined, elapsedMs)) this.close();
  }

  #listen(): void {
    const socket = this.#socket;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => {});
    // Half a connection is none: what the client has not finished it will not finish.
    socket.once('end', () => socket.destroy());
    socket.once('close', () => this.#abandon());
  }

  #receive(chunk: Buffer): void {
    this.#activity++;
    try {
      this.#receiver.read(chunk);
      if (this.#arrived.length > 0) this.#options.turns.arrived(this);
    } catch (error) {
      if (error instanceof ConnectionError) this.#fail(error.code, error.message);
      else this.#break(error);
    }
  }

  get isUrgent(): boolean {
    return this.connection.isUrgent;
  }

  /** Not before everything that has arrived is read: whoever is given up at once has cost nothing. */
  dispatch(most: number): void {
    const arrived = this.#arrived;
    let at = 0;
    for (let handed = 0; at < arrived.length; at++) {
      const exchange = arrived[at] as Http2Exchange;
      if (exchange.isClosed) continue;
      if (handed === most || !this.#options.turns.take(exchange.fields.bytes, this.connection.isUrgent)) break;
      this.#handOver(exchange);
      handed++;
    }
    this.#arrived = at < arrived.length ? arrived.slice(at) : [];
    if (this.#arrived.length > 0) this.#options.turns.wait(this);
  }

  /** A client that exceeds the limit for headers gets its answer and is told to go. */
  #handOver(exchange: Http2Exchange): void {
    this.connection.isUrgent = false;
    if (!exchange.fields.isTooLarge) return void this.#options.onExchange(exchange);
    exchange.respond(tooLargeHeader);
    this.close();
  }

  request(id: number, fields: RequestFields, hasBody: boolean): void {
    // It is beyond what the client was told will be answered.
    if (this.#isClosing) return;
    if (this.#streams.size >= this.#options.maxStreams) return void this.refuse(id, errorCode.refusedStream);
    const exchange = new Http2Exchange(this, id, fields, hasBody, this.#peer.initialWindow, streamWindow);
    this.#streams.open(exchange);
    this.#arrived.push(exchange);
    const { goawayChance } = this.#options;
    if (goawayChance > 0 && Math.random() < goawayChance) this.close();
  }

  spend(exchange: Http2Exchange | undefined, bytes: number): boolean {
    return this.#windows.spend(exchange, bytes);
  }

  refund(bytes: number): void {
    this.#windows.refund(bytes);
  }

  taken(exchange: Http2Exchange, bytes: number): void {
    this.#windows.taken(exchange, bytes);
  }

  /** A client that provokes resets makes the server start work for nothing, as one that resets streams itself (CVE-2025-8671). */
  refuse(id: number, code: number): void {
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
    if (!this.#cancellations.take()) throw new ConnectionError(errorCode.enhanceYourCalm, 'too many streams that are given up');
  }

  finished(exchange: Http2Exchange): void {
    exchange.isRequestComplete = true;
    if (exchange.incoming?.end() === false) this.refuse(exchange.id, errorCode.protocol);
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

  window(exchange: Http2Exchange | undefined, bytes: number): void {
    if (exchange) return void this.#widenStream(exchange, bytes, false);
    if (widened(this.#sender.window, bytes) === undefined) throw tooWide();
    this.#sender.widen(bytes);
  }

  #widenStream(exchange: Http2Exchange, bytes: number, isForAll: boolean): void {
    const window = widened(exchange.sendWindow, bytes);
    if (window === undefined) {
      if (isForAll) throw tooWide();
      return void this.refuse(exchange.id, errorCode.flowControl);
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
    if (this.#sender.waitingFrames > maxWaitingFrames) this.#fail(errorCode.enhanceYourCalm, 'nothing of what is sent is read');
  }

  #end(exchange: Http2Exchange): void {
    if (!this.#streams.end(exchange.id)) return;
    this.#activity++;
    exchange.close();
    this.#endIfDone();
  }

  #answered(exchange: Http2Exchange): void {
    exchange.isResponseSent = true;
    if (exchange.isRequestComplete) this.#end(exchange);
    else drainBody(exchange, () => this.reset(exchange, errorCode.none));
  }

  #endIfDone(): void {
    if (!this.#isClosing || this.#isEnded || this.#streams.size > 0 || !this.#sender.isIdle) return;
    this.#isEnded = true;
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  /** Tells the client what it has done, and is done with it. */
  #fail(code: number, reason: string): void {
    this.#isClosing = true;
    this.#receiver.stop();
    this.#sender.drop();
    this.#sender.control(goAwayFrame(this.#streams.lastId, code, reason));
    this.#abandon();
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
  }

  #break(error: unknown): void {
    this.#options.onError(error);
    this.#socket.destroy();
  }

  #abandon(): void {
    this.#arrived = [];
    for (const exchange of this.#streams.endAll()) exchange.close();
  }
}

function tooWide(): ConnectionError {
  return new ConnectionError(errorCode.flowControl, 'a window that is too wide');
}

/** How long something has been the same, counted in the steps in which somebody looks at it. */
export class StallTimer {
  readonly #limitMs: number;
  #what: unknown;
  #ms = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Gives whether it has been this, and not undefined, for too long. */
  isStalled(what: unknown, elapsedMs: number): boolean {
    this.#ms = what === this.#what ? this.#ms + elapsedMs : 0;
    this.#what = what;
    return what !== undefined && this.#ms >= this.#limitMs;
  }
}

/** In the words of Go's server. */
export const tooLargeHeader: BytesAnswer = {
  kind: 'bytes',
  status: 431,
  type: 'text/html; charset=utf-8',
  body: Buffer.from('<h1>HTTP Error 431</h1><p>Request Header HeaderField(s) Too Large</p>'),
};
