import type { Writable } from 'node:stream';
import { WriteBuffer } from '../http/write-buffer.ts';
import type { Http2Exchange } from './exchange.ts';
import { HeaderEncoder } from './header-encoder.ts';
import { defaultWindow, maxFrameBytes } from './protocol.ts';
import { QueuedBody, type ResponseBody } from './response-body.ts';
import { isUsedUp, putBytes, putDataFrame, putHead } from './response-frames.ts';

/** Limit of one write, so that urgent frames do not queue behind it. */
const maxWriteBytes = 128 * 1024;
/** Bytes that a stream sends before the next stream. */
const quantumBytes = 2 * maxFrameBytes;
const out = new WriteBuffer();

export interface FrameSenderOptions {
  readonly socket: Writable;
  /** The last frame of the answer has been written. */
  readonly onComplete: (exchange: Http2Exchange) => void;
  /** The body of an answer failed. */
  readonly onFailed: (exchange: Http2Exchange) => void;
  readonly onError: (error: unknown) => void;
  /** Everything has been flushed. */
  readonly onIdle: () => void;
}

/** The sending side of a connection: one write at a time, filled from the streams round robin. */
export class FrameSender {
  /** Send window of the connection. */
  window = defaultWindow;
  /** Number of writes so far. */
  writes = 0;
  readonly encoder = new HeaderEncoder();
  readonly #options: FrameSenderOptions;
  #control: Buffer[] = [];
  #goAway: Buffer | undefined;
  #ready: Http2Exchange[] = [];
  /** Streams that wait for the connection's send window. */
  #starved: Http2Exchange[] = [];
  #completed: Http2Exchange[] = [];
  #isScheduled = false;
  #isWriting = false;

  constructor(options: FrameSenderOptions) {
    this.#options = options;
  }

  /** Whether the last write has not been flushed. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  get isIdle(): boolean {
    return !this.#isWriting && !this.#hasMore;
  }

  get #hasMore(): boolean {
    return this.#control.length > 0 || this.#ready.length > 0 || this.#goAway !== undefined;
  }

  /** Control frames that have not been written. */
  get waitingFrames(): number {
    return this.#control.length;
  }

  /** Queues a frame before everything else that waits. */
  control(frame: Buffer): void {
    this.#control.push(frame);
    this.#schedule();
  }

  /** Queues GOAWAY after everything that is ready: some clients stop reading when they receive it. */
  goAway(frame: Buffer): void {
    this.#goAway = frame;
    this.#schedule();
  }

  ready(exchange: Http2Exchange): void {
    if (exchange.isQueued || exchange.isClosed) return;
    exchange.isQueued = true;
    this.#ready = withAdded(this.#ready, exchange);
    this.#schedule();
  }

  widenWindow(bytes: number): void {
    this.window += bytes;
    if (this.#starved.length === 0 || this.window <= 0) return;
    const starved = this.#starved;
    this.#starved = [];
    for (const exchange of starved) {
      exchange.isQueued = false;
      this.ready(exchange);
    }
  }

  /** Drops all queued answers: only control frames are sent from now on. */
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
      this.#fillBuffer();
      const write = out.take();
      if (write) this.#write(write.bytes, write.release);
      this.#reportCompleted();
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
      if (this.#hasMore) continueFlush(this);
      else this.#options.onIdle();
    });
  }

  #reportCompleted(): void {
    if (this.#completed.length === 0) return;
    const completed = this.#completed;
    this.#completed = [];
    for (const exchange of completed) this.#options.onComplete(exchange);
  }

  #fillBuffer(): void {
    if (this.#control.length > 0) {
      for (const frame of this.#control) putBytes(out, frame);
      this.#control = [];
    }
    while (this.#ready.length > 0 && out.length < maxWriteBytes) this.#writeRound(this.#ready);
    if (!this.#goAway) return;
    putBytes(out, this.#goAway);
    this.#goAway = undefined;
  }

  /** One quantum for each stream. Streams with more to send are queued again. */
  #writeRound(queue: readonly Http2Exchange[]): void {
    this.#ready = [];
    let i = 0;
    for (; i < queue.length && out.length < maxWriteBytes; i++) this.#writeStream(queue[i] as Http2Exchange);
    if (i < queue.length) this.#ready = [...queue.slice(i), ...this.#ready];
  }

  #writeStream(exchange: Http2Exchange): void {
    exchange.isQueued = false;
    if (exchange.isClosed) return;
    if (exchange.head) putHead(out, this.encoder, exchange, exchange.head);
    const { outgoing } = exchange;
    if (!outgoing) return void this.#completed.push(exchange);
    try {
      if (this.#putData(exchange, outgoing)) this.#completed.push(exchange);
    } catch {
      // The header has been sent: only resetting the stream tells the client.
      this.#options.onFailed(exchange);
    }
    if (outgoing instanceof QueuedBody) outgoing.notifyDrained();
  }

  /** Whether the body is complete. */
  #putData(exchange: Http2Exchange, body: ResponseBody): boolean {
    for (let used = 0; used < quantumBytes; ) {
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

  /** Waits for more bytes, or for the send window of the stream or the connection. */
  #waitFor(exchange: Http2Exchange, body: ResponseBody): false {
    const isEmpty = body instanceof QueuedBody && body.buffered === 0;
    if (this.window > 0 || exchange.sendWindow <= 0 || isEmpty) return false;
    exchange.isQueued = true;
    this.#starved = withAdded(this.#starved, exchange);
    return false;
  }
}

/** Drops closed streams now and then: a client that reads nothing could otherwise grow the list without limit. */
function withAdded(list: Http2Exchange[], exchange: Http2Exchange): Http2Exchange[] {
  const kept = list.length > 0 && list.length % 1024 === 0 ? list.filter(({ isClosed }) => !isClosed) : list;
  kept.push(exchange);
  return kept;
}

interface Flushable {
  flush(): void;
}

/** Writing takes at most this long before the event loop polls its sockets again. */
const sliceMs = 1.5;

/** State of the process, as the event loop is: all connections share its iterations and their time. */
let flushQueue: Flushable[] = [];
let isScheduled = false;
/** Time slice of `continueFlush`. */
let slice: { readonly began: number } | undefined;

/** Flushes at the end of the event loop iteration, so that everything it produced leaves in one write. */
function flushSoon(one: Flushable): void {
  flushQueue.push(one);
  schedule();
}

/** Continues with the next write at once, unless the time slice for that is used up. */
function continueFlush(one: Flushable): void {
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
  const batch = flushQueue;
  flushQueue = [];
  const began = performance.now();
  let flushed = 0;
  do (batch[flushed++] as Flushable).flush();
  while (flushed < batch.length && performance.now() - began < sliceMs);
  if (flushed === batch.length) return;
  flushQueue = [...batch.slice(flushed), ...flushQueue];
  schedule();
}
