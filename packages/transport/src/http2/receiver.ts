import type { TokenBucket } from '../http/token-bucket.ts';
import type { Http2Exchange } from './exchange.ts';
import { FrameReader, payloadOf, uint32At } from './frame-reader.ts';
import { HeaderDecoder } from './header-decoder.ts';
import { ConnectionError, errorCode, flag, frameType, maxWindow } from './protocol.ts';
import type { HeaderLimits, RequestFields } from './request-fields.ts';
import type { Streams } from './streams.ts';

/** What the frames of a client lead to. */
export interface FrameEvents {
  /** A request has come, or its header at least. */
  request(id: number, fields: RequestFields, hasBody: boolean): void;
  /** So many bytes count against what the client may send. Gives whether it may. */
  spend(exchange: Http2Exchange | undefined, bytes: number): boolean;
  /** They are of no use to anybody. */
  refund(bytes: number): void;
  /** The client has broken a rule on this stream. */
  refuse(id: number, code: number): void;
  /** The client has said everything. */
  finished(exchange: Http2Exchange): void;
  /** The client has given up. */
  cancelled(exchange: Http2Exchange): void;
  settings(bytes: Buffer, start: number, end: number): void;
  ping(payload: Buffer): void;
  /** The client will open no more streams. */
  goAway(): void;
  /** The client takes more. */
  window(exchange: Http2Exchange | undefined, bytes: number): void;
}

/** The receiving side of a connection: holds the frames that come against the rules of RFC 9113. */
export class FrameReceiver {
  readonly #streams: Streams;
  readonly #events: FrameEvents;
  /** What a client may send that leads nowhere. */
  readonly #vain: TokenBucket;
  readonly #reader: FrameReader;
  readonly #decoder: HeaderDecoder;
  #block: HeaderBlock | undefined;
  #hasSettings = false;

  constructor(streams: Streams, events: FrameEvents, limits: HeaderLimits, vain: TokenBucket) {
    this.#streams = streams;
    this.#events = events;
    this.#vain = vain;
    this.#decoder = new HeaderDecoder(limits);
    this.#reader = new FrameReader((type, flags, id, bytes, start, end) => this.#frame(type, flags, id, bytes, start, end));
  }

  /** What the connection waits for and cannot go on without: its beginning, or the rest of a header. */
  get unfinished(): unknown {
    return this.#hasSettings ? this.#block : this.#reader;
  }

  /** Fails with ConnectionError. */
  read(chunk: Buffer): void {
    this.#reader.read(chunk);
  }

  stop(): void {
    this.#reader.stop();
  }

  #frame(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (this.#block || !this.#hasSettings) this.#checkOrder(type, flags, id);
    switch (type) {
      case frameType.data:
        return void this.#data(flags, id, bytes, start, end);
      case frameType.headers:
        return void this.#headers(flags, id, bytes, start, end);
      case frameType.continuation:
        return void this.#continuation(flags, bytes.subarray(start, end));
      case frameType.windowUpdate:
        return void this.#windowUpdate(id, bytes, start, end);
      case frameType.reset:
        return void this.#reset(id, end - start);
      default:
        return void this.#other(type, flags, id, bytes, start, end);
    }
  }

  #other(type: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (!this.#vain.take()) throw new ConnectionError(errorCode.enhanceYourCalm, 'too many frames that ask for nothing');
    if (type === frameType.settings) this.#settings(flags, id, bytes, start, end);
    else if (type === frameType.ping) this.#ping(flags, id, bytes.subarray(start, end));
    else if (type === frameType.priority) this.#priority(id, bytes, start, end);
    else if (type === frameType.goAway) this.#goAway(id, end - start);
    else if (type === frameType.pushPromise) throw protocolError('clients do not push');
  }

  #checkOrder(type: number, flags: number, id: number): void {
    if (this.#block && (type !== frameType.continuation || id !== this.#block.stream))
      throw protocolError('a header is not finished');
    if (this.#hasSettings) return;
    if (type !== frameType.settings || (flags & flag.acknowledge) !== 0) throw protocolError('settings come first');
    this.#hasSettings = true;
  }

  #data(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0 || this.#streams.isIdle(id)) throw protocolError('data for no stream');
    const payload = payloadOf(flags, bytes, start, end);
    const exchange = this.#streams.get(id);
    const isEnd = (flags & flag.endStream) !== 0;
    if (payload.length === 0 && !isEnd) this.#takeVain();
    const isAllowed = this.#events.spend(exchange, end - start);
    if (!exchange?.incoming || exchange.isRequestComplete || !isAllowed) {
      this.#events.refund(end - start);
      return void this.#unwantedData(id, isAllowed);
    }
    if (!exchange.incoming.add(payload, end - start)) return void this.#events.refuse(id, errorCode.protocol);
    if (isEnd) this.#events.finished(exchange);
  }

  #unwantedData(id: number, isAllowed: boolean): void {
    if (this.#streams.wasReset(id)) return;
    this.#takeVain();
    this.#events.refuse(id, isAllowed ? errorCode.streamClosed : errorCode.flowControl);
  }

  #headers(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id % 2 === 0) throw protocolError('clients open streams of odd numbers');
    const isEnd = (flags & flag.endStream) !== 0;
    if ((flags & (flag.padded | flag.priority | flag.endHeaders)) === flag.endHeaders)
      return void this.#headerBlock(id, isEnd, this.#decoder.decode(bytes, start, end));
    const payload = payloadOf(flags, bytes, start, end);
    const hasPriority = (flags & flag.priority) !== 0;
    if (hasPriority && payload.length < 5) throw new ConnectionError(errorCode.frameSize, 'the priority is cut off');
    const isSelfDependent = hasPriority && (uint32At(payload, 0) & maxWindow) === id;
    this.#block = new HeaderBlock(id, isEnd, isSelfDependent);
    this.#continuation(flags, hasPriority ? payload.subarray(5) : payload);
  }

  #continuation(flags: number, piece: Buffer): void {
    const block = this.#block;
    if (!block) throw protocolError('nothing to be continued');
    block.add(piece);
    if ((flags & flag.endHeaders) === 0) return;
    this.#block = undefined;
    const joined = block.joined();
    const fields = this.#decoder.decode(joined, 0, joined.length);
    this.#headerBlock(block.stream, block.isEnd, fields, block.isSelfDependent);
  }

  /** A block is decoded in any case: those that follow depend on it. */
  #headerBlock(id: number, isEnd: boolean, fields: RequestFields, isSelfDependent = false): void {
    if (!this.#streams.isIdle(id)) return void this.#trailers(id, isEnd, fields);
    this.#streams.lastId = id;
    const isRequest = fields.isTooLarge || (fields.isRequest && !(isEnd && fields.contentLength));
    if (isRequest && !isSelfDependent) return void this.#events.request(id, fields, !isEnd);
    this.#takeVain();
    this.#events.refuse(id, errorCode.protocol);
  }

  #trailers(id: number, isEnd: boolean, fields: RequestFields): void {
    const exchange = this.#streams.get(id);
    if (!exchange) return void this.#lateHeaders(id);
    if (exchange.isRequestComplete) this.#events.refuse(id, errorCode.streamClosed);
    else if (!isEnd || !fields.isTrailers) this.#events.refuse(id, errorCode.protocol);
    else this.#events.finished(exchange);
  }

  #lateHeaders(id: number): void {
    if (this.#streams.wasReset(id)) return void this.#takeVain();
    if (this.#streams.hasEnded(id)) throw new ConnectionError(errorCode.streamClosed, 'the stream is over');
    throw protocolError('numbers of streams count upwards');
  }

  #reset(id: number, length: number): void {
    if (length !== 4) throw new ConnectionError(errorCode.frameSize, 'a reset has four bytes');
    if (id === 0 || this.#streams.isIdle(id)) throw protocolError('a reset for no stream');
    const exchange = this.#streams.get(id);
    if (exchange) this.#events.cancelled(exchange);
    else this.#takeVain();
  }

  #windowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) throw new ConnectionError(errorCode.frameSize, 'a window has four bytes');
    if (this.#streams.isIdle(id)) throw protocolError('a window for no stream');
    const increment = uint32At(bytes, start) & maxWindow;
    const exchange = id === 0 ? undefined : this.#streams.get(id);
    if (increment === 0) {
      if (id === 0) throw protocolError('a window does not grow by nothing');
      if (exchange) this.#events.refuse(id, errorCode.protocol);
    } else if (id === 0 || exchange) this.#events.window(exchange, increment);
    else this.#takeVain();
  }

  #settings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw protocolError('settings for a stream');
    const isAcknowledgement = (flags & flag.acknowledge) !== 0;
    if (isAcknowledgement ? end > start : (end - start) % 6 !== 0)
      throw new ConnectionError(errorCode.frameSize, 'settings have six bytes each');
    if (!isAcknowledgement) this.#events.settings(bytes, start, end);
  }

  #ping(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('a ping for a stream');
    if (payload.length !== 8) throw new ConnectionError(errorCode.frameSize, 'a ping has eight bytes');
    if ((flags & flag.acknowledge) === 0) this.#events.ping(payload);
  }

  /** Priorities are out of use, but not what they may look like. */
  #priority(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) throw protocolError('a priority for no stream');
    const isWrong = end - start !== 5;
    if (!isWrong && (uint32At(bytes, start) & maxWindow) !== id) return;
    const code = isWrong ? errorCode.frameSize : errorCode.protocol;
    if (!this.#streams.get(id)) throw new ConnectionError(code, 'a priority that makes no sense');
    this.#events.refuse(id, code);
  }

  #goAway(id: number, length: number): void {
    if (id !== 0) throw protocolError('a goAway for a stream');
    if (length < 8) throw new ConnectionError(errorCode.frameSize, 'the goAway is cut off');
    this.#events.goAway();
  }

  #takeVain(): void {
    if (!this.#vain.take()) throw new ConnectionError(errorCode.enhanceYourCalm, 'too many frames that ask for nothing');
  }
}

function protocolError(reason: string): ConnectionError {
  return new ConnectionError(errorCode.protocol, reason);
}

/** Compressed; what it becomes is bounded elsewhere. */
const maxBlockBytes = (1 << 20) + (64 << 10);
/** More than a block of that size needs: who sends less in each wants to keep somebody busy. */
const maxPieces = 128;

/** A header that comes in more than one frame. Nothing else may come in between. */
export class HeaderBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly isSelfDependent: boolean;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(stream: number, isEnd: boolean, isSelfDependent: boolean) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.isSelfDependent = isSelfDependent;
  }

  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > maxBlockBytes || this.#pieces.push(piece) > maxPieces)
      throw new ConnectionError(errorCode.enhanceYourCalm, 'the header does not end');
  }

  joined(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes);
  }
}
