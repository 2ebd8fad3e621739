import { type HeaderFields, parseHeaderFields } from './header-fields.ts';
import { badRequest, Refused } from './http-error.ts';
import { parseRequestLine } from './request-line.ts';

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

  /** Fails with Refused. */
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
  if (coding.toLowerCase() !== 'chunked') throw new Refused(501, 'unsupported transfer encoding');
  return 'chunked';
}

function lengthIn(text: string): number {
  const length = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(length)) throw badRequest();
  return length;
}

function expects(value: string | undefined): boolean {
  if (value === undefined || value === '') return false;
  if (value.toLowerCase() !== '100-continue') throw new Refused(417);
  return true;
}
