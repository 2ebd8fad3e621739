import { badRequest, HttpError } from './http-error.ts';
import { maxFields } from './limits.ts';

/** How many bytes follow, or that they come in chunks. */
export type Framing = number | 'chunked';

/** What the lines of a header mean for the connection. */
export interface HeaderBlock extends HeaderFields {
  readonly minor: number;
  readonly framing: Framing;
  readonly keepsAlive: boolean;
  /** Whether the client offers to speak something else from here on. */
  readonly offersUpgrade: boolean;
  /** Whether the client sends its body only when it is told to go on. */
  readonly awaitsContinue: boolean;
}

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly block: HeaderBlock;
}

/** Longer ones are rare, and not worth the memory. */
const maxRemembered = 4096;

/** Clients send the same header again and again. The last one is kept, and read once. */
export class HeadParser {
  #text: string | undefined;
  #block: HeaderBlock | undefined;

  /** Fails with HttpError. */
  parse(line: string, fields: string): RequestHead {
    const { method, target, minor } = parseRequestLine(line);
    return { method, target, block: this.#blockOf(fields, minor) };
  }

  #blockOf(text: string, minor: number): HeaderBlock {
    if (this.#block?.minor === minor && this.#text === text) return this.#block;
    const block = readBlock(text, minor);
    this.#text = text.length <= maxRemembered ? text : undefined;
    this.#block = text.length <= maxRemembered ? block : undefined;
    return block;
  }
}

function readBlock(text: string, minor: number): HeaderBlock {
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
    awaitsContinue: expects(values.get('expect')) && minor > 0,
  };
}

const trim = (text: string): string => text.trim();
const hostCharacters = /^[!$%&()*+,\-.:;=[\]'_~0-9A-Za-z]*$/;

function checkHost(host: string | undefined, minor: number): void {
  if (host === undefined && minor > 0) throw badRequest('missing required Host header');
  if (host !== undefined && !hostCharacters.test(host)) throw badRequest('malformed Host header');
}

/** RFC 9112, 6.3, and stricter: who says it twice, in two ways or in one that is old does not mean well. */
function framingOf(values: ReadonlyMap<string, string>, minor: number): Framing {
  const length = values.get('content-length');
  const coding = values.get('transfer-encoding');
  if (coding === undefined) return length === undefined ? 0 : lengthIn(length);
  if (length !== undefined || minor === 0) throw badRequest();
  if (coding.toLowerCase() !== 'chunked') throw new HttpError(501, 'unsupported transfer encoding');
  return 'chunked';
}

function lengthIn(text: string): number {
  const length = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(length)) throw badRequest();
  return length;
}

function expects(value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value.toLowerCase() !== '100-continue') throw new HttpError(417);
  return true;
}

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  /** Of HTTP/1.x. */
  readonly minor: number;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const visible = /^[!-~]+$/;
const version = /^HTTP\/(\d)\.(\d)$/;
const usualMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']);

export const isToken = (text: string): boolean => token.test(text);

/** Three parts with one space between each: whoever is more lenient can be made to see another request than we do. */
export function parseRequestLine(line: string): RequestLine {
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  if (first <= 0 || last === first) throw badRequest();
  const method = line.slice(0, first);
  const target = line.slice(first + 1, last);
  if (!usualMethods.has(method) && !isToken(method)) throw badRequest();
  if (!visible.test(target) || !hasForm(method, target)) throw badRequest();
  return { method, target: originForm(target), minor: minorVersion(line.slice(last + 1)) };
}

/** A path, a whole URL, or what only OPTIONS and CONNECT may ask for. */
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

/** Clients behind some proxies name the whole URL. */
function originForm(target: string): string {
  return target.charCodeAt(0) === 0x2f ? target : target.replace(/^https?:\/\/[^/?#]*\//i, '/');
}

export interface HeaderFields {
  /** Names in lower case and values, in turns, in the order sent. */
  readonly raw: readonly string[];
  readonly values: ReadonlyMap<string, string>;
}

/** Also what ends a line for some and not for others. */
const unfit = /[^\t\r\n -~\u0080-\u00ff]|\r(?!\n)|(?<!\r)\n/;

/** The lines between the request line and the empty one. Nothing is mended: a line that is folded or odd is refused. */
export function parseHeaderFields(text: string): HeaderFields {
  if (unfit.test(text)) throw badRequest();
  const raw: string[] = [];
  const values = new Map<string, string>();
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\r\n', from);
    const end = found < 0 ? text.length : found;
    const field = fieldIn(text, from, end);
    if (raw.length >= 2 * maxFields) throw new HttpError(431);
    raw.push(field.name, field.value);
    keep(values, field);
    from = end + 2;
  }
  return { raw, values };
}

interface HeaderField {
  readonly name: string;
  readonly value: string;
}

export function fieldIn(text: string, from: number, end: number): HeaderField {
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

/** What says where a message ends, or whom it is for, is said once. */
const onlyOnce = new Set(['content-length', 'host']);

/** Lists that may be sent in several lines. Of all other fields the first line counts, as Go's Header.Get has it. */
const lists = new Set([
  'connection',
  'expect',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'transfer-encoding',
  'upgrade',
]);

function keep(values: Map<string, string>, { name, value }: HeaderField): void {
  const before = values.get(name);
  if (before === undefined) values.set(name, value);
  else if (onlyOnce.has(name)) throw badRequest();
  else if (lists.has(name)) values.set(name, `${before}, ${value}`);
}
