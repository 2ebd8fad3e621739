import type { AnswerHeaders } from '../http/answer.ts';
import type { WriteBuffer } from '../http/write-buffer.ts';
import { staticNames, staticStatuses, staticTable } from './header-tables.ts';
import { defaultHeaderTableBytes } from './protocol.ts';

/** Values of these are different every time: putting them into the table would only fill it. */
const fresh = new Set(['audit-id', 'content-length', 'date', 'etag', 'last-modified', 'location', 'retry-after', 'warning']);
/** They belong to a connection of HTTP/1.1, whoever the answer comes from. */
const unsent = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
const maxValuesOfName = 8;
const maxNames = 100;
/** Longer ones are sent as they are. */
const maxIndexedBytes = 256;

/** What the client's table holds under a name. The n-th field that was ever put there has the number n. */
interface KnownName {
  readonly text: string;
  /** In the static table; 0 if it is not there. */
  readonly place: number;
  readonly isFresh: boolean;
  readonly isUnsent: boolean;
  readonly values: string[];
  readonly numbers: number[];
}

/**
 * Writes header blocks of one connection. Fields that come again are put into the client's table until that is full, and
 * nothing is ever pushed out of it: what it holds is known without following it.
 */
export class HeaderEncoder {
  readonly #names = new Map<string, KnownName>();
  #count = 0;
  #bytes = 0;
  #limit = defaultHeaderTableBytes;
  #isResized = false;

  /** The client keeps a table of at most so many bytes. */
  limitTable(bytes: number): void {
    const limit = Math.min(bytes, defaultHeaderTableBytes);
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#isResized = true;
    this.#names.clear();
    this.#count = this.#bytes = 0;
  }

  /** The table is emptied before it takes its new size, because that is what is known of it here. */
  begin(out: WriteBuffer, status: number): void {
    out.reserve(16);
    if (this.#isResized) {
      out.buffer[out.at++] = 0x20;
      putInteger(out, 0x20, 31, this.#limit);
      this.#isResized = false;
    }
    const place = staticStatuses.get(status);
    if (place !== undefined) out.buffer[out.at++] = 0x80 | place;
    else {
      out.buffer[out.at++] = statusPlace;
      putText(out, String(status));
    }
  }

  all(out: WriteBuffer, headers: AnswerHeaders): void {
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === 'string') this.field(out, name, value);
      else if (value !== undefined) for (const each of value) this.field(out, name, each);
    }
  }

  field(out: WriteBuffer, name: string, value: string): void {
    let known = this.#names.get(name);
    if (known === undefined) {
      known = knownName(name);
      if (this.#names.size < maxNames) this.#names.set(name, known);
    }
    if (known.isUnsent) return;
    const { values } = known;
    if (!known.isFresh) {
      for (let i = 0; i < values.length; i++) {
        if (values[i] === value) return void this.#indexed(out, known.numbers[i] as number);
      }
    }
    out.reserve(name.length + value.length + 16);
    if (this.#isWorthIt(known, value)) this.#remember(out, known, value);
    else this.#literal(out, known, value);
  }

  #indexed(out: WriteBuffer, number: number): void {
    out.reserve(4);
    putInteger(out, 0x80, 127, this.#indexOf(number));
  }

  #indexOf(number: number): number {
    return staticTable.length + this.#count - number;
  }

  /** Of a name that is always new, the first value is put there for the sake of the name. */
  #isWorthIt(known: KnownName, value: string): boolean {
    const size = known.text.length + value.length + 32;
    if (this.#names.size >= maxNames || size > maxIndexedBytes || this.#bytes + size > this.#limit) return false;
    return known.isFresh ? known.place === 0 && known.values.length === 0 : known.values.length < maxValuesOfName;
  }

  #remember(out: WriteBuffer, known: KnownName, value: string): void {
    this.#putName(out, 0x40, 63, known);
    putText(out, value);
    known.values.push(value);
    known.numbers.push(this.#count++);
    this.#bytes += known.text.length + value.length + 32;
  }

  #literal(out: WriteBuffer, known: KnownName, value: string): void {
    this.#putName(out, 0, 15, known);
    putText(out, value);
  }

  #putName(out: WriteBuffer, kind: number, prefix: number, known: KnownName): void {
    const number = known.numbers[0];
    const place = known.place === 0 && number !== undefined ? this.#indexOf(number) : known.place;
    putInteger(out, kind, prefix, place);
    if (place === 0) putText(out, known.text);
  }
}

/** As a literal that is not put into the table. */
const statusPlace = staticNames.get(':status') as number;

function knownName(name: string): KnownName {
  const text = name.toLowerCase();
  return {
    text,
    place: staticNames.get(text) ?? 0,
    isFresh: fresh.has(text),
    isUnsent: unsent.has(text),
    values: [],
    numbers: [],
  };
}

function putInteger(out: WriteBuffer, kind: number, prefix: number, value: number): void {
  const { buffer } = out;
  if (value < prefix) {
    buffer[out.at++] = kind | value;
    return;
  }
  buffer[out.at++] = kind | prefix;
  let rest = value - prefix;
  for (; rest >= 128; rest >>>= 7) buffer[out.at++] = 128 | (rest & 127);
  buffer[out.at++] = rest;
}

/** Shorter texts are written faster one character after the other than by a call out of the language. */
const maxCharactersByHand = 64;

function putText(out: WriteBuffer, text: string): void {
  const { length } = text;
  putInteger(out, 0, 127, length);
  const { buffer } = out;
  let { at } = out;
  if (length > maxCharactersByHand) at += buffer.write(clean(text), at, 'latin1');
  else for (let i = 0; i < length; i++) buffer[at++] = characterAt(text, i);
  out.at = at;
}

/** What a header may not hold never leaves the server. */
function characterAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return (code >= 0x20 && code < 0x7f) || code === 9 || (code > 0x7f && code < 0x100) ? code : 0x3f;
}

function clean(text: string): string {
  return unwanted.test(text) ? text.replace(everyUnwanted, '?') : text;
}

const unwanted = /[^\t\x20-\x7e\x80-\xff]/;
const everyUnwanted = /[^\t\x20-\x7e\x80-\xff]/g;
