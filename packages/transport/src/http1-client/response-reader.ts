import { BodyBuffer } from '../http/body.ts';
import { ChunkDecoder, type TakeData } from '../http1/chunk-decoder.ts';
import { HttpError } from '../http1/http-error.ts';
import { type Framing, parseHeaderFields, parseLength, ReceiveBuffer } from '../http1/request-reader.ts';

export interface Http1Response {
  readonly status: number;
  /** By name in lower case; of repeated fields the first. */
  readonly headers: ReadonlyMap<string, string>;
  /** Names in lower case and values alternate, in the order sent. */
  readonly raw: readonly string[];
  readonly body: Buffer;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Names in lower case and values alternate, in the order sent. */
  readonly raw: readonly string[];
  readonly framing: Framing | 'until close';
  readonly keepsAlive: boolean;
}

const headEnd = Buffer.from('\r\n\r\n');
const maxHeadBytes = 64 * 1024;
/** Responses such as 100 Continue before the final one. */
const maxInterim = 5;
/** Servers repeat their header fields; `Date` changes once a second. Longer heads are not worth the memory. */
const maxCachedLength = 1024;

/** Properties of the request that determine how its response is read. */
export interface Expectation {
  /** The response to HEAD has no body, whatever its header says. */
  readonly isHead?: boolean;
  /** The body is handed over as it arrives, without a limit, once `streamTo` was called. */
  readonly isStreamed?: boolean;
}

/** Reads the responses on one connection, one at a time, from bytes that may be split anywhere. */
export class ResponseReader {
  readonly #maxBodyBytes: number;
  #expected: Expectation = {};
  readonly #received = new ReceiveBuffer();
  /** Bytes of an incomplete head that have been scanned. */
  #seen = 0;
  #interim = 0;
  #head: ResponseHead | undefined;
  #framing: ResponseHead['framing'] = 0;
  #body = new BodyBuffer();
  /** Length of the body so far. */
  #bodyBytes = 0;
  /** Takes the body instead of the buffer. */
  #stream: TakeData | undefined;
  #chunks: ChunkDecoder | undefined;
  #lastText = '';
  #lastHead: ResponseHead | undefined;

  constructor(maxBodyBytes: number) {
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** To be called before the first byte of a response arrives, if it is not that of an ordinary request. */
  expect(expected: Expectation): void {
    this.#expected = expected;
  }

  /** The head of the response whose body is being read. */
  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** Hands over the body read so far, and then what arrives. The response that `push` and `end` return has an empty body. */
  streamTo(take: TakeData): void {
    this.#stream = take;
    const { length } = this.#body;
    if (length > 0) take(this.#body.takeAll(), 0, length);
  }

  /** Whether bytes have arrived that are not part of a complete response. */
  get hasBegun(): boolean {
    return this.#head !== undefined || this.#received.length > 0 || this.#interim > 0;
  }

  /** Whether the connection may be used for another request after the last response. */
  get keepsAlive(): boolean {
    return this.#lastHead?.keepsAlive === true && !this.hasBegun;
  }

  /** Returns the response once it is complete. Throws an Error if it is malformed or too large. */
  push(bytes: Buffer): Http1Response | undefined {
    this.#received.push(bytes);
    try {
      this.#head ??= this.#readHead();
      return this.#head && this.#readBody(this.#head);
    } catch (error) {
      throw error instanceof HttpError ? malformed('malformed HTTP response', { cause: error }) : error;
    }
  }

  /** The server has closed the connection. Returns the response if that is how its body ends. */
  end(): Http1Response | undefined {
    return this.#head && this.#framing === 'until close' ? this.#complete(this.#head) : undefined;
  }

  #readHead(): ResponseHead | undefined {
    for (;;) {
      const text = this.#headText();
      if (text === undefined) return undefined;
      const head = this.#parse(text);
      if (head.status >= 200 || head.status === 101) return this.#begin(head);
      if (++this.#interim > maxInterim) throw malformed('too many 1xx informational responses');
    }
  }

  #headText(): string | undefined {
    const received = this.#received;
    const { bytes, start, end } = received;
    const found = bytes.indexOf(headEnd, start + Math.max(0, this.#seen - headEnd.length));
    const isComplete = found >= 0 && found + headEnd.length <= end;
    if ((isComplete ? found : end) - start > maxHeadBytes) throw malformed('the header of the response is too large');
    this.#seen = isComplete ? 0 : end - start;
    if (!isComplete) return void checkBeginning(bytes.toString('latin1', start, Math.min(end, start + maxQuotedLength)));
    received.consumeTo(found + headEnd.length);
    return bytes.toString('latin1', start, found);
  }

  #parse(text: string): ResponseHead {
    if (this.#lastHead && this.#lastText === text) return this.#lastHead;
    const head = parseHead(text);
    this.#lastText = text.length <= maxCachedLength ? text : '';
    this.#lastHead = head;
    return head;
  }

  #begin(head: ResponseHead): ResponseHead {
    const framing = this.#expected.isHead ? 0 : head.framing;
    if (typeof framing === 'number' && framing > this.#limit) throw this.#tooLarge();
    this.#framing = framing;
    this.#chunks = framing === 'chunked' ? new ChunkDecoder() : undefined;
    return head;
  }

  #readBody(head: ResponseHead): Http1Response | undefined {
    const { bytes, start, end } = this.#received;
    if (this.#chunks) {
      this.#received.consumeTo(this.#chunks.feed(bytes.length === end ? bytes : bytes.subarray(0, end), start, this.#take));
      return this.#chunks.isDone ? this.#complete(head) : undefined;
    }
    const left = this.#framing === 'until close' ? end - start : (this.#framing as number) - this.#bodyBytes;
    const until = Math.min(end, start + left);
    this.#take(bytes, start, until);
    this.#received.consumeTo(until);
    return this.#bodyBytes === this.#framing ? this.#complete(head) : undefined;
  }

  #take = (bytes: Buffer, start: number, end: number): void => {
    this.#bodyBytes += end - start;
    if (this.#bodyBytes > this.#limit) throw this.#tooLarge();
    if (!this.#stream) this.#body.add(bytes, start, end);
    else if (end > start) this.#stream(bytes, start, end);
  };

  get #limit(): number {
    return this.#expected.isStreamed ? Number.POSITIVE_INFINITY : this.#maxBodyBytes;
  }

  #complete({ status, headers, raw }: ResponseHead): Http1Response {
    this.#head = undefined;
    this.#interim = this.#bodyBytes = 0;
    this.#stream = undefined;
    this.#expected = {};
    return { status, headers, raw, body: this.#body.takeAll() };
  }

  #tooLarge(): Error {
    return new Error(`the response is larger than ${this.#maxBodyBytes} bytes`);
  }
}

/** The prefix of Go's HTTP client. */
function malformed(reason: string, options?: ErrorOptions): Error {
  return new Error(`net/http: HTTP/1.x transport connection broken: ${reason}`, options);
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t -~\u0080-\u00ff]*)?$/;
const maxQuotedLength = 100;

/** Rejects a server of another protocol at once, not at the deadline. */
function checkBeginning(text: string): void {
  const isLine = text.length === maxQuotedLength || text.includes('\n');
  if (!isLine || text.startsWith('HTTP/1.')) return;
  throw malformed(`malformed HTTP response ${JSON.stringify(text.split('\r\n', 1)[0])}`);
}

function parseHead(text: string): ResponseHead {
  const lineEnd = text.indexOf('\r\n');
  const line = lineEnd < 0 ? text : text.slice(0, lineEnd);
  const match = statusLine.exec(line);
  if (!match) throw malformed(`malformed HTTP response ${JSON.stringify(line.slice(0, maxQuotedLength))}`);
  const { values: headers, raw } = parseHeaderFields(lineEnd < 0 ? '' : text.slice(lineEnd + 2));
  const [minor, status] = [Number(match[1]), Number(match[2])];
  const framing = framingOf(headers, minor, status);
  return {
    status,
    headers,
    raw,
    framing,
    keepsAlive: framing !== 'until close' && status !== 101 && isPersistent(headers, minor),
  };
}

function isPersistent(headers: ReadonlyMap<string, string>, minor: number): boolean {
  const connection = headers.get('connection');
  if (connection === undefined) return minor > 0;
  const options = connection.toLowerCase().split(',');
  const has = (option: string) => options.some((each) => each.trim() === option);
  return !has('close') && (minor > 0 || has('keep-alive'));
}

/** RFC 9112, 6.3. Both Content-Length and Transfer-Encoding, or a coding other than chunked, is an error. */
function framingOf(headers: ReadonlyMap<string, string>, minor: number, status: number): ResponseHead['framing'] {
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined && (length !== undefined || minor === 0)) throw malformed('unexpected Transfer-Encoding');
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    throw malformed(`unsupported transfer encoding: ${JSON.stringify(coding.slice(0, maxQuotedLength))}`);
  const declared = length === undefined ? undefined : parseLength(length);
  if (status < 200 || status === 204 || status === 304) return 0;
  return coding !== undefined ? 'chunked' : (declared ?? 'until close');
}
