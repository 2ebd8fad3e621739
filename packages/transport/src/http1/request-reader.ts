import { badRequest, HttpError } from './http-error.ts';
import type { Http1RequestBody } from './request-body.ts';

/** Go's default limit, which kube-apiserver keeps. */
const maxHeadBytes = 1 << 20;
const headEnd = Buffer.from('\r\n\r\n');
const carriageReturn = 13;
const lineFeed = 10;

/** Reads requests from bytes that may be split anywhere. */
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

/** Authenticating proxies add a header for each group and extra of a user. */
const maxFields = 1000;

/** Length of the body, or that it is chunked. */
export type Framing = number | 'chunked';

/** Header fields, and their meaning for the connection. */
export interface RequestHeaders extends HeaderFields {
  /** Minor version of HTTP/1. */
  readonly minor: number;
  readonly framing: Framing;
  readonly keepsAlive: boolean;
  /** Whether the client offers to switch to another protocol. */
  readonly offersUpgrade: boolean;
  /** Whether the client sends its body only after 100 Continue. */
  readonly awaitsContinue: boolean;
}

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: RequestHeaders;
}

/** Longer headers are rare, and not worth the memory. */
const maxCachedLength = 4096;

/** Clients repeat the same headers: those of the last request are cached and parsed once. */
export class HeadParser {
  #text: string | undefined;
  #headers: RequestHeaders | undefined;

  /** Throws HttpError. */
  parse(line: string, fields: string): RequestHead {
    const { method, target, minor } = parseRequestLine(line);
    return { method, target, headers: this.#headersOf(fields, minor) };
  }

  #headersOf(text: string, minor: number): RequestHeaders {
    if (this.#headers?.minor === minor && this.#text === text) return this.#headers;
    const headers = parseHeaders(text, minor);
    this.#text = text.length <= maxCachedLength ? text : undefined;
    this.#headers = text.length <= maxCachedLength ? headers : undefined;
    return headers;
  }
}

function parseHeaders(text: string, minor: number): RequestHeaders {
  const fields = parseHeaderFields(text);
  const { values } = fields;
  checkHost(values.get('host'), minor);
  const options = (values.get('connection') ?? '').toLowerCase().split(',').map(trim);
  return {
    ...fields,
    minor,
    framing: framingOf(values, minor),
    keepsAlive: !options.includes('close') && (minor > 0 || options.includes('keep-alive')),
    offersUpgrade: minor > 0 && options.includes('upgrade') && values.has('upgrade'),
    awaitsContinue: expectsContinue(values.get('expect')) && minor > 0,
  };
}

const trim = (text: string): string => text.trim();
const hostCharacters = /^[!$%&()*+,\-.:;=[\]'_~0-9A-Za-z]*$/;

function checkHost(host: string | undefined, minor: number): void {
  if (host === undefined && minor > 0) throw badRequest('missing required Host header');
  if (host !== undefined && !hostCharacters.test(host)) throw badRequest('malformed Host header');
}

/**
 * RFC 9112, 6.3, but stricter, against request smuggling: both Content-Length and Transfer-Encoding, or Transfer-Encoding in
 * HTTP/1.0, is an error.
 */
function framingOf(values: ReadonlyMap<string, string>, minor: number): Framing {
  const length = values.get('content-length');
  const coding = values.get('transfer-encoding');
  if (coding === undefined) return length === undefined ? 0 : parseLength(length);
  if (length !== undefined || minor === 0) throw badRequest();
  if (coding.toLowerCase() !== 'chunked') throw new HttpError(501, 'unsupported transfer encoding');
  return 'chunked';
}

export function parseLength(text: string): number {
  const length = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(length)) throw badRequest();
  return length;
}

function expectsContinue(value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value.toLowerCase() !== '100-continue') throw new HttpError(417);
  return true;
}

interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** Minor version of HTTP/1. */
  readonly minor: number;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const visible = /^[!-~]+$/;
const version = /^HTTP\/(\d)\.(\d)$/;
const usualMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

const isToken = (text: string): boolean => token.test(text);

/** Three parts with one space between each: a more lenient parser in front could see another request. */
function parseRequestLine(line: string): RequestLine {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first <= 0 || last === first) throw badRequest();
  const method = line.slice(0, first);
  const target = line.slice(first + 1, last);
  if (!usualMethods.has(method) && !isToken(method)) throw badRequest();
  if (!visible.test(target) || !hasForm(method, target)) throw badRequest();
  return { method, target: originForm(target), minor: minorVersion(line.slice(last + 1)) };
}

/** Origin form, absolute form, `*` for OPTIONS, authority form for CONNECT (RFC 9112, 3.2). */
function hasForm(method: string, target: string): boolean {
  if (target.charCodeAt(0) === 0x2f) return true;
  return /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(target) || (method === 'OPTIONS' && target === '*') || method === 'CONNECT';
}

function minorVersion(text: string): number {
  if (text === 'HTTP/1.1') return 1;
  const match = version.exec(text);
  if (!match) throw badRequest();
  if (match[1] !== '1') throw new HttpError(505, 'unsupported protocol version');
  return Number(match[2]);
}

/** Some proxies send the absolute form. */
function originForm(target: string): string {
  return target.charCodeAt(0) === 0x2f ? target : target.replace(/^https?:\/\/[^/?#]*\//i, '/');
}

export interface HeaderFields {
  /** Names in lower case and values alternate, in the order sent. */
  readonly raw: readonly string[];
  /** The values by name: the first one, or for lists all of them. */
  readonly values: ReadonlyMap<string, string>;
}

/** Control characters, and bare CR or LF, which parsers disagree about. */
const invalidCharacter = /[^\t\r\n -~\u0080-\u00ff]|\r(?!\n)|(?<!\r)\n/;

/** The lines between the request line and the empty one. Nothing is repaired: a folded or malformed line is an error. */
export function parseHeaderFields(text: string): HeaderFields {
  if (invalidCharacter.test(text)) throw badRequest();
  const raw: string[] = [];
  const values = new Map<string, string>();
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\r\n', from);
    const end = found < 0 ? text.length : found;
    const field = parseFieldLine(text, from, end);
    if (raw.length >= 2 * maxFields) throw new HttpError(431);
    raw.push(field.name, field.value);
    addValue(values, field);
    from = end + 2;
  }
  return { raw, values };
}

/** A parsed header line. */
interface FieldLine {
  readonly name: string;
  readonly value: string;
}

export function parseFieldLine(text: string, from: number, end: number): FieldLine {
  const mark = text.indexOf(':', from);
  if (mark < 0 || mark >= end) throw badRequest();
  const name = text.slice(from, mark);
  if (!isToken(name)) throw badRequest();
  return { name: name.toLowerCase(), value: trimmed(text, mark + 1, end) };
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

function trimmed(text: string, from: number, end: number): string {
  let first = from;
  let last = end;
  while (first < last && isBlank(text.charCodeAt(first))) first++;
  while (last > first && isBlank(text.charCodeAt(last - 1))) last--;
  return text.slice(first, last);
}

/** Framing and routing depend on these: a second one is an error. */
const onlyOnce = new Set(['content-length', 'host']);

/** List fields, whose lines are joined. For other fields the first line counts, as with Go's Header.Get. */
const lists = new Set([
  'connection',
  'expect',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'transfer-encoding',
  'upgrade',
]);

function addValue(values: Map<string, string>, { name, value }: FieldLine): void {
  const before = values.get(name);
  if (before === undefined) values.set(name, value);
  else if (onlyOnce.has(name)) throw badRequest();
  else if (lists.has(name)) values.set(name, `${before}, ${value}`);
}
