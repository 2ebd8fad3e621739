import type { AnswerHeaders } from '../http/answer.ts';
import type { WriteBuffer } from '../http/write-buffer.ts';
import { staticNames, staticStatuses, staticTable } from './header-tables.ts';
import { defaultHeaderTableBytes } from './protocol.ts';

/** Fields whose values rarely repeat: indexing them would only fill the table. */
const unindexed = new Set(['audit-id', 'content-length', 'date', 'etag', 'last-modified', 'location', 'retry-after', 'warning']);
/** Connection-specific fields of HTTP/1.1, dropped from proxied answers. */
const connectionFields = new Set(['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade']);
const maxValuesOfName = 8;
const maxNames = 100;
/** Longer fields are sent as literals. */
const maxIndexedBytes = 256;

/** A name and its entries in the client's table. The n-th field ever added has the number n. */
interface EncodedName {
  readonly text: string;
  /** Index in the static table; 0 if it is not there. */
  readonly place: number;
  readonly isUnindexed: boolean;
  readonly isDropped: boolean;
  readonly values: string[];
  readonly numbers: number[];
}

/**
 * HPACK encoder of one connection. Fields are added to the client's dynamic table until it is full, and none is ever evicted, so
 * its content is known without tracking evictions.
 */
export class HeaderEncoder {
  readonly #names = new Map<string, EncodedName>();
  #count = 0;
  #bytes = 0;
  #limit = defaultHeaderTableBytes;
  #isResized = false;

  /** The client limits its dynamic table. */
  limitTable(bytes: number): void {
    const limit = Math.min(bytes, defaultHeaderTableBytes);
    if (limit === this.#limit) return;
    this.#limit = limit;
    this.#isResized = true;
    this.#names.clear();
    this.#count = this.#bytes = 0;
  }

  /** After a change of size the table is emptied first (size 0), which matches the encoder's state. */
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
      putString(out, String(status));
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
      known = encodedName(name);
      if (this.#names.size < maxNames) this.#names.set(name, known);
    }
    if (known.isDropped) return;
    const { values } = known;
    if (!known.isUnindexed) {
      for (let i = 0; i < values.length; i++) {
        if (values[i] === value) return void this.#indexed(out, known.numbers[i] as number);
      }
    }
    out.reserve(name.length + value.length + 16);
    if (this.#shouldIndex(known, value)) this.#addToTable(out, known, value);
    else this.#literal(out, known, value);
  }

  #indexed(out: WriteBuffer, number: number): void {
    out.reserve(4);
    putInteger(out, 0x80, 127, this.#indexOf(number));
  }

  #indexOf(number: number): number {
    return staticTable.length + this.#count - number;
  }

  /** The first value of an unindexed name is added, so that the name gets an index. */
  #shouldIndex(known: EncodedName, value: string): boolean {
    const size = known.text.length + value.length + 32;
    if (this.#names.size >= maxNames || size > maxIndexedBytes || this.#bytes + size > this.#limit) return false;
    return known.isUnindexed ? known.place === 0 && known.values.length === 0 : known.values.length < maxValuesOfName;
  }

  #addToTable(out: WriteBuffer, known: EncodedName, value: string): void {
    this.#putName(out, 0x40, 63, known);
    putString(out, value);
    known.values.push(value);
    known.numbers.push(this.#count++);
    this.#bytes += known.text.length + value.length + 32;
  }

  #literal(out: WriteBuffer, known: EncodedName, value: string): void {
    this.#putName(out, 0, 15, known);
    putString(out, value);
  }

  #putName(out: WriteBuffer, kind: number, prefix: number, known: EncodedName): void {
    const number = known.numbers[0];
    const place = known.place === 0 && number !== undefined ? this.#indexOf(number) : known.place;
    putInteger(out, kind, prefix, place);
    if (place === 0) putString(out, known.text);
  }
}

/** Literal without indexing. */
const statusPlace = staticNames.get(':status') as number;

function encodedName(name: string): EncodedName {
  const text = name.toLowerCase();
  return {
    text,
    place: staticNames.get(text) ?? 0,
    isUnindexed: unindexed.has(text),
    isDropped: connectionFields.has(text),
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

/** Shorter strings are written faster in JavaScript than by a call into C++. */
const maxCharactersByHand = 64;

function putString(out: WriteBuffer, text: string): void {
  const { length } = text;
  putInteger(out, 0, 127, length);
  const { buffer } = out;
  let { at } = out;
  if (length > maxCharactersByHand) at += buffer.write(clean(text), at, 'latin1');
  else for (let i = 0; i < length; i++) buffer[at++] = characterAt(text, i);
  out.at = at;
}

/** Prevents invalid header values: other characters are replaced by `?`. */
function characterAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return (code >= 0x20 && code < 0x7f) || code === 9 || (code > 0x7f && code < 0x100) ? code : 0x3f;
}

function clean(text: string): string {
  return invalid.test(text) ? text.replace(allInvalid, '?') : text;
}

const invalid = /[^\t\x20-\x7e\x80-\xff]/;
const allInvalid = /[^\t\x20-\x7e\x80-\xff]/g;
