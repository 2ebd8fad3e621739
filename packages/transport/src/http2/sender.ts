import type { Writable } from 'node:stream';
import { WriteBuffer } from '../http/write-buffer.ts';
import type { Http2Exchange } from './exchange.ts';
import { HeaderEncoder } from './header-encoder.ts';
import { defaultWindow, maxFrameBytes } from './protocol.ts';
import { QueuedBody, type ResponseBody } from './response-body.ts';
import { isUsedUp, putBytes, putDataFrame, putHead } from './response-frames.ts';

/** More than this is not given to the network at once: what is written later may be more urgent. */
const maxWriteBytes = 128 * 1024;
/** After so many bytes it is another stream's turn. */
const turnBytes = 2 * maxFrameBytes;
const out = new WriteBuffer();

export interface FrameSenderOptions {
  readonly socket: Writable;
  /** The last frame of the answer is on its way. */
  readonly onComplete: (exchange: Http2Exchange) => void;
  /** The next bytes of an answer cannot be made. */
  readonly onFailed: (exchange: Http2Exchange) => void;
  readonly onError: (error: unknown) => void;
  /** Everything there was to send is with the network. */
  readonly onIdle: () => void;
}

/** The sending side of a connection: one write at a time, in which all streams have their share. */
export class FrameSender {
  /** So many bytes the client takes on all streams together. */
  window = defaultWindow;
  /** So many were made until now. */
  writes = 0;
  readonly encoder = new HeaderEncoder();
  readonly #options: FrameSenderOptions;
  #control: Buffer[] = [];
  #goAway: Buffer | undefined;
  #ready: Http2Exchange[] = [];
  /** Streams that wait until the client takes more on the connection. */
  #starved: Http2Exchange[] = [];
  #completed: Http2Exchange[] = [];
  #isScheduled = false;
  #isWriting = false;

  constructor(options: FrameSenderOptions) {
    this.#options = options;
  }

  /** Whether the network has not taken the last write yet. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  get isIdle(): boolean {
    return !this.#isWriting && !this.#hasMore;
  }

  get #hasMore(): boolean {
    return this.#control.length > 0 || this.#ready.length > 0 || this.#goAway !== undefined;
  }

  /** Frames that were not worth a write of their own yet. */
  get waitingFrames(): number {
    return this.#control.length;
  }

  /** Sent before everything else that waits. */
  control(frame: Buffer): void {
    this.#control.push(frame);
    this.#schedule();
  }

  /** Sent after everything that is ready: some clients hear nothing more once they have read it. */
  goAway(frame: Buffer): void {
    this.#goAway = frame;
    this.#schedule();
  }

  ready(exchange: Http2Exchange): void {
    if (exchange.isQueued || exchange.isClosed) return;
    exchange.isQueued = true;
    this.#ready = withOneMore(this.#ready, exchange);
    this.#schedule();
  }

  widen(bytes: number): void {
    this.window += bytes;
    if (this.#starved.length === 0 || this.window <= 0) return;
    const starved = this.#starved;
    this.#starved = [];
    for (const exchange of starved) {
      exchange.isQueued = false;
      this.ready(exchange);
    }
  }

  /** Nothing but control frames is sent from now on. */
  drop(): void {
    this.#goAway = undefined;
    this.#ready = [];
    this.#starved = [];
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return;
    this.#isScheduled = true;
    flushSoon(this);
  }

  flush(): void {
    this.#isScheduled = false;
    if (this.#isWriting) return;
    try {
      this.#gather();
      const gathered = out.take();
      if (gathered) this.#write(gathered.bytes, gathered.release);
      this.#tellCompleted();
    } catch (error) {
      out.discard();
      this.#options.onError(error);
    }
  }

  #write(bytes: Buffer, release: () => void): void {
    this.#isWriting = true;
    this.writes++;
    this.#options.socket.write(bytes, () => {
      release();
      this.#isWriting = false;
      if (this.#hasMore) flushOn(this);
      else this.#options.onIdle();
    });
  }

  #tellCompleted(): void {
    if (this.#completed.length === 0) return;
    const completed = this.#completed;
    this.#completed = [];
    for (const exchange of completed) this.#options.onComplete(exchange);
  }

  #gather(): void {
    if (this.#control.length > 0) {
      for (const frame of this.#control) putBytes(out, frame);
      this.#control = [];
    }
    while (this.#ready.length > 0 && out.length < maxWriteBytes) this.#giveRound(this.#ready);
    if (!this.#goAway) return;
    putBytes(out, this.#goAway);
    this.#goAway = undefined;
  }

  /** Those that have more to send come again when all others had their turn. */
  #giveRound(queue: readonly Http2Exchange[]): void {
    this.#ready = [];
    let i = 0;
    for (; i < queue.length && out.length < maxWriteBytes; i++) this.#giveTurn(queue[i] as Http2Exchange);
    if (i < queue.length) this.#ready = [...queue.slice(i), ...this.#ready];
  }

  #giveTurn(exchange: Http2Exchange): void {
    exchange.isQueued = false;
    if (exchange.isClosed) return;
    if (exchange.head) putHead(out, this.encoder, exchange, exchange.head);
    const { outgoing } = exchange;
    if (!outgoing) return void this.#completed.push(exchange);
    try {
      if (this.#putData(exchange, outgoing)) this.#completed.push(exchange);
    } catch {
      // The header is out already: breaking off is the only way left to say that the answer is not whole.
      this.#options.onFailed(exchange);
    }
    if (outgoing instanceof QueuedBody) outgoing.tellDrained();
  }

  /** Gives whether that was the last of it. */
  #putData(exchange: Http2Exchange, body: ResponseBody): boolean {
    for (let used = 0; used < turnBytes; ) {
      const room = Math.min(maxFrameBytes, this.window, exchange.sendWindow);
      const length = putDataFrame(out, exchange.id, body, Math.max(0, room));
      if (length > 0) {
        this.window -= length;
        exchange.sendWindow -= length;
        used += length;
      }
      if (isUsedUp(body)) return true;
      if (length < room || room <= 0) return this.#waitFor(exchange, body);
    }
    exchange.isQueued = true;
    this.#ready.push(exchange);
    return false;
  }

  /** For more bytes, for the client to take more on this stream, or on the connection. */
  #waitFor(exchange: Http2Exchange, body: ResponseBody): false {
    const isEmpty = body instanceof QueuedBody && body.buffered === 0;
    if (this.window > 0 || exchange.sendWindow <= 0 || isEmpty) return false;
    exchange.isQueued = true;
    this.#starved = withOneMore(this.#starved, exchange);
    return false;
  }
}

/** Streams that were closed while they waited are left out when there are many: a client that reads nothing could make them without end. */
function withOneMore(list: Http2Exchange[], exchange: Http2Exchange): Http2Exchange[] {
  const kept = list.length > 0 && list.length % 1024 === 0 ? list.filter(({ isClosed }) => !isClosed) : list;
  kept.push(exchange);
  return kept;
}

export interface Flushable {
  flush(): void;
}

/** Writing may take this long before the event loop looks at its sockets again. */
const sliceMs = 1.5;

let waiting: Flushable[] = [];
let isScheduled = false;
/** Of the writes that go on as soon as the network has taken what went before. */
let slice: { readonly began: number } | undefined;

/** Everything that is to be sent because of what this turn of the event loop brought is sent at its end, in one go. */
export function flushSoon(one: Flushable): void {
  waiting.push(one);
  schedule();
}

/** For one that has more to send: now, unless this turn of the event loop has spent its time on others like it. */
export function flushOn(one: Flushable): void {
  if (!slice) {
    slice = { began: performance.now() };
    setImmediate(endSlice);
  } else if (performance.now() - slice.began > sliceMs) return void flushSoon(one);
  one.flush();
}

function endSlice(): void {
  slice = undefined;
}

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(flushAll);
}

function flushAll(): void {
  isScheduled = false;
  const turn = waiting;
  waiting = [];
  const began = performance.now();
  let flushed = 0;
  do (turn[flushed++] as Flushable).flush();
  while (flushed < turn.length && performance.now() - began < sliceMs);
  if (flushed === turn.length) return;
  waiting = [...turn.slice(flushed), ...waiting];
  schedule();
}
