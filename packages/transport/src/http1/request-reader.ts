import { badRequest, HttpError } from './http-error.ts';
import type { Http1RequestBody } from './request-body.ts';
import { HeadParser, type RequestHead } from './request-head.ts';

/** Go's default limit, which kube-apiserver keeps. */
const maxHeadBytes = 1 << 20;
const headEnd = Buffer.from('\r\n\r\n');
const carriageReturn = 13;
const lineFeed = 10;

/** Reads requests from bytes that arrive in whatever pieces. */
export class RequestReader {
  readonly #received: ReceiveBuffer;
  readonly #parser = new HeadParser();
  /** Bytes of an incomplete head that have been scanned. */
  #seen = 0;

  constructor(received: ReceiveBuffer) {
    this.#received = received;
  }

  /** The next head, if it is complete. Throws HttpError. */
  readHead(): RequestHead | undefined {
    const received = this.#received;
    if (this.#seen === 0) this.#skipEmptyLines();
    const { bytes, start, end } = received;
    const found = bytes.indexOf(headEnd, start + Math.max(0, this.#seen - headEnd.length));
    if (found < 0 || found + headEnd.length > end) return this.#checkIncomplete();
    if (found - start > maxHeadBytes) throw new HttpError(431);
    this.#seen = 0;
    received.consumeTo(found + headEnd.length);
    return this.#parse(bytes, start, found);
  }

  #parse(bytes: Buffer, start: number, end: number): RequestHead {
    const lineEnd = bytes.indexOf(carriageReturn, start);
    if (bytes[lineEnd + 1] !== lineFeed) throw badRequest();
    const line = bytes.toString('latin1', start, lineEnd);
    return this.#parser.parse(line, lineEnd === end ? '' : bytes.toString('latin1', lineEnd + 2, end));
  }

  /** Some clients send an empty line after a body (RFC 9112, 2.2). */
  #skipEmptyLines(): void {
    const { bytes, end } = this.#received;
    let at = this.#received.start;
    while (at + 1 < end && bytes[at] === carriageReturn && bytes[at + 1] === lineFeed) at += 2;
    this.#received.consumeTo(at);
  }

  /** Rejects a head that cannot become valid at once, not at the header timeout. */
  #checkIncomplete(): undefined {
    const { bytes, start, end } = this.#received;
    if (end - start > maxHeadBytes) throw new HttpError(431);
    for (let at = bytes.indexOf(lineFeed, start + this.#seen); at >= 0 && at < end; at = bytes.indexOf(lineFeed, at + 1)) {
      if (at === start || bytes[at - 1] !== carriageReturn) throw badRequest();
    }
    // A CR that may become an empty line is scanned again.
    this.#seen = end - start === 1 && bytes[start] === carriageReturn ? 0 : end - start;
    return undefined;
  }

  /** Feeds a body with the bytes that have arrived. Throws HttpError. */
  feed(body: Http1RequestBody): void {
    const { bytes, start, end } = this.#received;
    this.#received.consumeTo(body.feed(bytes.length === end ? bytes : bytes.subarray(0, end), start));
  }
}

/** Bytes that have arrived and are still to be parsed. Capacity doubles, so that appending is linear. */
export class ReceiveBuffer {
  bytes: Buffer = empty;
  start = 0;
  end = 0;
  #isOwned = false;

  get length(): number {
    return this.end - this.start;
  }

  push(chunk: Buffer): void {
    if (this.start === this.end) this.#hold(chunk);
    else this.#append(chunk);
  }

  consumeTo(position: number): void {
    this.start = position;
    if (this.start === this.end) this.clear();
  }

  clear(): void {
    this.bytes = empty;
    this.start = 0;
    this.end = 0;
    this.#isOwned = false;
  }

  /** Returns all bytes and empties the buffer. */
  takeAll(): Buffer {
    const rest = this.bytes.subarray(this.start, this.end);
    this.clear();
    return rest;
  }

  #hold(chunk: Buffer): void {
    this.bytes = chunk;
    this.start = 0;
    this.end = chunk.length;
    this.#isOwned = false;
  }

  #append(chunk: Buffer): void {
    if (!this.#isOwned || this.end + chunk.length > this.bytes.length) this.#grow(this.length + chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(2 * needed);
    this.bytes.copy(larger, 0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    this.bytes = larger;
    this.#isOwned = true;
  }
}

const empty = Buffer.alloc(0);
