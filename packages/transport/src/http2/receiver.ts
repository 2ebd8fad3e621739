import type { TokenBucket } from '../http/token-bucket.ts';
import type { Http2Exchange } from './exchange.ts';
import { FrameReader, payloadOf, uint32At } from './frame-reader.ts';
import { HeaderDecoder } from './header-decoder.ts';
import { errorCode, frameFlag, frameType, Http2ConnectionError, maxWindow } from './protocol.ts';
import type { HeaderLimits, RequestFields } from './request-fields.ts';
import type { Streams } from './streams.ts';

/** Events of the frames that a client sends. */
export interface FrameEvents {
  /** The header of a request has arrived. */
  request(id: number, fields: RequestFields, hasBody: boolean): void;
  /** Charges received DATA to the receive windows. False if it exceeds the stream's. */
  spendWindow(exchange: Http2Exchange | undefined, bytes: number): boolean;
  /** Returns bytes of dropped DATA to the connection's receive window. */
  refundWindow(bytes: number): void;
  /** Stream error: the client broke a rule on this stream. */
  streamError(id: number, code: number): void;
  /** END_STREAM: the request is complete. */
  requestComplete(exchange: Http2Exchange): void;
  /** RST_STREAM: the client cancelled the stream. */
  cancelled(exchange: Http2Exchange): void;
  settings(bytes: Buffer, start: number, end: number): void;
  ping(payload: Buffer): void;
  /** The client will open no more streams. */
  goAway(): void;
  /** WINDOW_UPDATE for a stream, or for the connection. */
  windowUpdate(exchange: Http2Exchange | undefined, bytes: number): void;
}

/** The receiving side of a connection: checks frames against the rules of RFC 9113. */
export class FrameReceiver {
  readonly #streams: Streams;
  readonly #events: FrameEvents;
  /** Rate limit of frames that have no effect, a common flood. */
  readonly #noEffectFrames: TokenBucket;
  readonly #reader: FrameReader;
  readonly #decoder: HeaderDecoder;
  #block: PartialHeaderBlock | undefined;
  #hasSettings = false;

  constructor(streams: Streams, events: FrameEvents, limits: HeaderLimits, noEffectFrames: TokenBucket) {
    this.#streams = streams;
    this.#events = events;
    this.#noEffectFrames = noEffectFrames;
    this.#decoder = new HeaderDecoder(limits);
    this.#reader = new FrameReader((type, flags, id, bytes, start, end) => this.#frame(type, flags, id, bytes, start, end));
  }

  /** The connection preface or the header block that is incomplete; undefined if nothing is. */
  get incomplete(): unknown {
    return this.#hasSettings ? this.#block : this.#reader;
  }

  /** Throws Http2ConnectionError. */
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
    this.#countNoEffect();
    if (type === frameType.settings) this.#settings(flags, id, bytes, start, end);
    else if (type === frameType.ping) this.#ping(flags, id, bytes.subarray(start, end));
    else if (type === frameType.priority) this.#priority(id, bytes, start, end);
    else if (type === frameType.goAway) this.#goAway(id, end - start);
    else if (type === frameType.pushPromise) throw protocolError('PUSH_PROMISE from a client');
  }

  #checkOrder(type: number, flags: number, id: number): void {
    if (this.#block && (type !== frameType.continuation || id !== this.#block.stream))
      throw protocolError('CONTINUATION expected');
    if (this.#hasSettings) return;
    if (type !== frameType.settings || (flags & frameFlag.acknowledge) !== 0)
      throw protocolError('the first frame must be SETTINGS');
    this.#hasSettings = true;
  }

  #data(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0 || this.#streams.isIdle(id)) throw protocolError('DATA on an idle stream');
    const payload = payloadOf(flags, bytes, start, end);
    const exchange = this.#streams.get(id);
    const isEnd = (flags & frameFlag.endStream) !== 0;
    if (payload.length === 0 && !isEnd) this.#countNoEffect();
    const isAllowed = this.#events.spendWindow(exchange, end - start);
    if (!exchange?.incoming || exchange.isRequestComplete || !isAllowed) {
      this.#events.refundWindow(end - start);
      return void this.#unexpectedData(id, isAllowed);
    }
    if (!exchange.incoming.add(payload, end - start)) return void this.#events.streamError(id, errorCode.protocol);
    if (isEnd) this.#events.requestComplete(exchange);
  }

  #unexpectedData(id: number, isAllowed: boolean): void {
    if (this.#streams.wasReset(id)) return;
    this.#countNoEffect();
    this.#events.streamError(id, isAllowed ? errorCode.streamClosed : errorCode.flowControl);
  }

  #headers(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id % 2 === 0) throw protocolError('stream ids of clients are odd');
    const isEnd = (flags & frameFlag.endStream) !== 0;
    if ((flags & (frameFlag.padded | frameFlag.priority | frameFlag.endHeaders)) === frameFlag.endHeaders)
      return void this.#headerBlock(id, isEnd, this.#decoder.decode(bytes, start, end));
    const payload = payloadOf(flags, bytes, start, end);
    const hasPriority = (flags & frameFlag.priority) !== 0;
    if (hasPriority && payload.length < 5)
      throw new Http2ConnectionError(errorCode.frameSize, 'HEADERS too short for its priority');
    const isSelfDependent = hasPriority && (uint32At(payload, 0) & maxWindow) === id;
    this.#block = new PartialHeaderBlock(id, isEnd, isSelfDependent);
    this.#continuation(flags, hasPriority ? payload.subarray(5) : payload);
  }

  #continuation(flags: number, fragment: Buffer): void {
    const block = this.#block;
    if (!block) throw protocolError('CONTINUATION without HEADERS');
    block.add(fragment);
    if ((flags & frameFlag.endHeaders) === 0) return;
    this.#block = undefined;
    const joined = block.joined();
    const fields = this.#decoder.decode(joined, 0, joined.length);
    this.#headerBlock(block.stream, block.isEnd, fields, block.isSelfDependent);
  }

  /** Called after decoding, which may not be skipped: HPACK's table depends on every block. */
  #headerBlock(id: number, isEnd: boolean, fields: RequestFields, isSelfDependent = false): void {
    if (!this.#streams.isIdle(id)) return void this.#trailers(id, isEnd, fields);
    this.#streams.lastId = id;
    const isRequest = fields.isTooLarge || (fields.isRequest && !(isEnd && fields.contentLength));
    if (isRequest && !isSelfDependent) return void this.#events.request(id, fields, !isEnd);
    this.#countNoEffect();
    this.#events.streamError(id, errorCode.protocol);
  }

  #trailers(id: number, isEnd: boolean, fields: RequestFields): void {
    const exchange = this.#streams.get(id);
    if (!exchange) return void this.#lateHeaders(id);
    if (exchange.isRequestComplete) this.#events.streamError(id, errorCode.streamClosed);
    else if (!isEnd || !fields.isTrailers) this.#events.streamError(id, errorCode.protocol);
    else this.#events.requestComplete(exchange);
  }

  #lateHeaders(id: number): void {
    if (this.#streams.wasReset(id)) return void this.#countNoEffect();
    if (this.#streams.hasEnded(id)) throw new Http2ConnectionError(errorCode.streamClosed, 'HEADERS on a closed stream');
    throw protocolError('stream ids must increase');
  }

  #reset(id: number, length: number): void {
    if (length !== 4) throw new Http2ConnectionError(errorCode.frameSize, 'RST_STREAM must have 4 bytes');
    if (id === 0 || this.#streams.isIdle(id)) throw protocolError('RST_STREAM on an idle stream');
    const exchange = this.#streams.get(id);
    if (exchange) this.#events.cancelled(exchange);
    else this.#countNoEffect();
  }

  #windowUpdate(id: number, bytes: Buffer, start: number, end: number): void {
    if (end - start !== 4) throw new Http2ConnectionError(errorCode.frameSize, 'WINDOW_UPDATE must have 4 bytes');
    if (this.#streams.isIdle(id)) throw protocolError('WINDOW_UPDATE on an idle stream');
    const increment = uint32At(bytes, start) & maxWindow;
    const exchange = id === 0 ? undefined : this.#streams.get(id);
    if (increment === 0) {
      if (id === 0) throw protocolError('WINDOW_UPDATE with increment 0');
      if (exchange) this.#events.streamError(id, errorCode.protocol);
    } else if (id === 0 || exchange) this.#events.windowUpdate(exchange, increment);
    else this.#countNoEffect();
  }

  #settings(flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    if (id !== 0) throw protocolError('SETTINGS on a stream');
    const isAcknowledgement = (flags & frameFlag.acknowledge) !== 0;
    if (isAcknowledgement ? end > start : (end - start) % 6 !== 0)
      throw new Http2ConnectionError(errorCode.frameSize, 'SETTINGS of invalid length');
    if (!isAcknowledgement) this.#events.settings(bytes, start, end);
  }

  #ping(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError('PING on a stream');
    if (payload.length !== 8) throw new Http2ConnectionError(errorCode.frameSize, 'PING must have 8 bytes');
    if ((flags & frameFlag.acknowledge) === 0) this.#events.ping(payload);
  }

  /** PRIORITY is deprecated and ignored, but still checked. */
  #priority(id: number, bytes: Buffer, start: number, end: number): void {
    if (id === 0) throw protocolError('PRIORITY on stream 0');
    const isWrong = end - start !== 5;
    if (!isWrong && (uint32At(bytes, start) & maxWindow) !== id) return;
    const code = isWrong ? errorCode.frameSize : errorCode.protocol;
    if (!this.#streams.get(id)) throw new Http2ConnectionError(code, 'invalid PRIORITY');
    this.#events.streamError(id, code);
  }

  #goAway(id: number, length: number): void {
    if (id !== 0) throw protocolError('GOAWAY on a stream');
    if (length < 8) throw new Http2ConnectionError(errorCode.frameSize, 'GOAWAY too short');
    this.#events.goAway();
  }

  #countNoEffect(): void {
    if (!this.#noEffectFrames.take()) throw new Http2ConnectionError(errorCode.enhanceYourCalm, 'too many frames without effect');
  }
}

function protocolError(reason: string): Http2ConnectionError {
  return new Http2ConnectionError(errorCode.protocol, reason);
}

/** Limit of a compressed block; the decoded header has its own limit. */
const maxBlockBytes = (1 << 20) + (64 << 10);
/** Frames of a block: more than a block of that size needs (CONTINUATION flood). */
const maxFragments = 128;

/** A header block that takes more than one frame. */
class PartialHeaderBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly isSelfDependent: boolean;
  #fragments: Buffer[] = [];
  #bytes = 0;

  constructor(stream: number, isEnd: boolean, isSelfDependent: boolean) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.isSelfDependent = isSelfDependent;
  }

  add(fragment: Buffer): void {
    this.#bytes += fragment.length;
    if (this.#bytes > maxBlockBytes || this.#fragments.push(fragment) > maxFragments)
      throw new Http2ConnectionError(errorCode.enhanceYourCalm, 'header block too large');
  }

  joined(): Buffer {
    return Buffer.concat(this.#fragments, this.#bytes);
  }
}
