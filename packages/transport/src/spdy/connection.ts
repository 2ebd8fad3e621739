import { Duplex } from 'node:stream';
import {
  controlFrame,
  dataHead,
  flagFin,
  HeaderBlockEncoder,
  numbers,
  resetStatus,
  SpdyFrameReader,
  type SpdyFrameReceiver,
  spdyFrameType,
  synReply,
  synStream,
} from './frames.ts';

export interface SpdyOptions {
  /** Keeps idle connections alive; no pings without it. */
  readonly pingIntervalMs?: number;
  /** Called for a stream that the peer opens, with its compressed headers. Such streams are refused by default. */
  readonly onStream?: (stream: SpdyStream, headerBlock: Buffer) => void;
}

/** As in Kubernetes' client. */
const replyTimeoutMs = 30_000;

/**
 * A SPDY/3.1 connection as kubelets and kubectl speak it: streams have no priorities, and their windows are unlimited, because the peers
 * do not implement flow control. Backpressure is that of the socket: it is read while all streams are.
 */
export class SpdyConnection implements SpdyFrameReceiver {
  readonly #socket: Duplex;
  readonly #options: SpdyOptions;
  readonly #headers = new HeaderBlockEncoder();
  readonly #frames = new SpdyFrameReader(this);
  readonly #streams = new Map<number, SpdyStream>();
  /** Streams whose readers are behind. */
  readonly #full = new Set<SpdyStream>();
  #lastId: number;
  #isClosed = false;
  #ping: NodeJS.Timeout | undefined;
  #onClose: (() => void)[] = [];
  /** Writes that wait until the socket takes more, at most one for each stream. */
  #onDrain: (() => void)[] = [];

  /** `head` has bytes that were received already. The side that sent the upgrade request is the client. */
  constructor(socket: Duplex, head: Buffer, role: 'client' | 'server', options: SpdyOptions = {}) {
    this.#socket = socket;
    this.#options = options;
    this.#lastId = role === 'client' ? -1 : 0;
    socket.on('data', this.#onBytes);
    socket.on('drain', () => this.#drained());
    socket.on('end', () => this.close());
    socket.on('close', () => {
      this.#closed();
      this.#drained();
    });
    socket.on('error', () => this.close());
    if (options.pingIntervalMs !== undefined)
      this.#ping = setInterval(
        () => this.#write(controlFrame(spdyFrameType.ping, 0, numbers(1))),
        options.pingIntervalMs,
      ).unref();
    if (head.length > 0) this.#onBytes(head);
    socket.resume();
  }

  /** Opens a stream. Resolves when the peer has accepted it. */
  open(headers: Readonly<Record<string, string>>): Promise<SpdyStream> {
    this.#lastId += 2;
    const stream = new SpdyStream(this, this.#lastId);
    if (this.#isClosed) return Promise.reject(new Error('connection closed'));
    this.#streams.set(stream.id, stream);
    this.#write(synStream(stream.id, this.#headers.encode(headers)));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => stream.settle(new Error('timeout waiting for stream reply')), replyTimeoutMs);
      stream.onReply = (error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(stream);
      };
    });
  }

  /** Accepts a stream of the peer. */
  accept(stream: SpdyStream): void {
    this.#write(synReply(stream.id, this.#headers.encode({})));
  }

  /** Ends all streams and closes the socket when written bytes are flushed. */
  close(): void {
    if (this.#isClosed) return;
    this.#closed();
    if (this.#socket.writable)
      this.#socket.end(controlFrame(spdyFrameType.goAway, 0, numbers(0, 0)), () => this.#socket.destroy());
    else this.#socket.destroy();
  }

  /** Calls back once. */
  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#onClose.push(listener);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#ping);
    for (const stream of this.#streams.values()) stream.receiveEnd();
    this.#streams.clear();
    this.#full.clear();
    this.#socket.resume();
    for (const listener of this.#onClose.splice(0)) listener();
  }

  #onBytes = (chunk: Buffer): void => {
    if (this.#isClosed) return;
    try {
      this.#frames.read(chunk);
    } catch {
      this.close();
    }
  };

  onData(id: number, bytes: Buffer, isEnd: boolean): void {
    const stream = this.#streams.get(id);
    if (!stream) return;
    if (bytes.length > 0 && !stream.push(bytes)) {
      this.#full.add(stream);
      this.#socket.pause();
    }
    if (isEnd) stream.receiveEnd();
  }

  onControl(type: number, flags: number, payload: Buffer): void {
    const id = payload.length < 4 ? 0 : payload.readUInt32BE(0) & 0x7fffffff;
    if (type === spdyFrameType.synStream) this.#onSynStream(id, flags, payload);
    else if (type === spdyFrameType.synReply) this.#onSynReply(id, flags);
    else if (type === spdyFrameType.rstStream) this.#onReset(id);
    else if (type === spdyFrameType.goAway) this.close();
    else if (type === spdyFrameType.ping && id % 2 !== this.#lastId % 2)
      this.#write(controlFrame(spdyFrameType.ping, 0, payload));
  }

  #onSynStream(id: number, flags: number, payload: Buffer): void {
    const { onStream } = this.#options;
    if (!onStream) return void this.reset(id, resetStatus.refused);
    const stream = new SpdyStream(this, id);
    this.#streams.set(id, stream);
    onStream(stream, payload.subarray(10));
    if ((flags & flagFin) !== 0) stream.receiveEnd();
  }

  #onSynReply(id: number, flags: number): void {
    const stream = this.#streams.get(id);
    stream?.settle();
    if ((flags & flagFin) !== 0) stream?.receiveEnd();
  }

  #onReset(id: number): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.settle(new Error('stream reset'));
    stream?.receiveEnd();
    stream?.destroy();
  }

  /** The reader of a stream wants more. */
  wants(stream: SpdyStream): void {
    if (this.#full.delete(stream) && this.#full.size === 0) this.#socket.resume();
  }

  /** Writes a data frame. Calls back when the socket takes more. */
  send(id: number, bytes: Buffer, isEnd: boolean, done: () => void): void {
    if (this.#isClosed || !this.#socket.writable) return void done();
    this.#socket.cork();
    this.#socket.write(dataHead(id, isEnd ? flagFin : 0, bytes.length));
    const isFree = bytes.length === 0 || this.#socket.write(bytes);
    this.#socket.uncork();
    if (isFree && !this.#socket.writableNeedDrain) done();
    else this.#onDrain.push(done);
  }

  #drained(): void {
    for (const done of this.#onDrain.splice(0)) done();
  }

  reset(id: number, status: number): void {
    this.#write(controlFrame(spdyFrameType.rstStream, 0, numbers(id, status)));
  }

  remove(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
    this.wants(stream);
  }

  #write(bytes: Buffer): void {
    if (!this.#isClosed && this.#socket.writable) this.#socket.write(bytes);
  }
}

/** Data frames are at most this long, so that streams share the connection. */
const maxFrameBytes = 64 * 1024;

/** A stream of a SPDY connection. Ending it half-closes it; the readable side ends when the peer has ended its side. */
export class SpdyStream extends Duplex {
  readonly id: number;
  /** Called when the peer accepts the stream, or with the reason why it does not. */
  onReply: ((error?: Error) => void) | undefined;
  readonly #connection: SpdyConnection;
  #hasEnded = false;

  constructor(connection: SpdyConnection, id: number) {
    super({ allowHalfOpen: true, emitClose: true });
    this.id = id;
    this.#connection = connection;
    this.on('error', () => {});
  }

  settle(error?: Error): void {
    const { onReply } = this;
    this.onReply = undefined;
    onReply?.(error);
  }

  /** The peer has ended its side. */
  receiveEnd(): void {
    this.settle(new Error('connection closed'));
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.push(null);
  }

  override _read(): void {
    this.#connection.wants(this);
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (bytes.length <= maxFrameBytes) return void this.#connection.send(this.id, bytes, false, done);
    this.#connection.send(this.id, bytes.subarray(0, maxFrameBytes), false, () =>
      this._write(bytes.subarray(maxFrameBytes), _encoding, done),
    );
  }

  override _final(done: () => void): void {
    this.#connection.send(this.id, noBytes, true, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.readableEnded || !this.writableFinished) this.#connection.reset(this.id, resetStatus.cancel);
    this.#connection.remove(this);
    done(error);
  }
}

const noBytes = Buffer.alloc(0);
