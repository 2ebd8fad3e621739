import { type HeaderField, type HeaderName, headerField, headerName } from './header-field.ts';
import { DynamicTable, staticTable } from './header-tables.ts';
import { decodeHuffman } from './huffman.ts';
import { ConnectionError, defaultHeaderTableBytes, errorCode } from './protocol.ts';
import { type HeaderLimits, RequestFields } from './request-fields.ts';

/** Blocks of this length are worth remembering: longer ones hardly come twice. */
const maxRememberedBytes = 256;
const maxRemembered = 32;
/** When so many more were looked for than found, nothing is looked for among the next: this client says something else each time. */
const maxMisses = 64;
const pause = 4096;

/** Reads header blocks of one connection, each of which may change how the next is to be read (RFC 7541). */
export class HeaderDecoder {
  readonly table = new DynamicTable();
  readonly #limits: HeaderLimits;
  /** What blocks said that came before, as long as the table is what it was. */
  #remembered: Map<string, RequestFields> | undefined;
  #generation = 0;
  #missesLeft = maxMisses;
  #pauseLeft = 0;
  #bytes: Buffer = nothing;
  #at = 0;
  #end = 0;
  /** Of the text that was read last. */
  #isWellFormed = true;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /** Fails with ConnectionError: nothing after a block that makes no sense would make any. */
  decode(bytes: Buffer, start: number, end: number): RequestFields {
    if (end - start > maxRememberedBytes || this.#pauseLeft > 0) return this.#decodeAnew(bytes, start, end);
    const key = bytes.toString('latin1', start, end);
    if (this.#generation !== this.table.generation) this.#forget();
    const known = this.#remembered?.get(key);
    if (known) {
      if (this.#missesLeft < maxMisses) this.#missesLeft++;
      return known;
    }
    const fields = this.#decode(bytes, start, end);
    if (this.#generation === this.table.generation) this.#remember(key, fields);
    return fields;
  }

  #decodeAnew(bytes: Buffer, start: number, end: number): RequestFields {
    if (this.#pauseLeft > 0) this.#pauseLeft--;
    return this.#decode(bytes, start, end);
  }

  #forget(): void {
    this.#remembered?.clear();
    this.#generation = this.table.generation;
  }

  #remember(key: string, fields: RequestFields): void {
    if (--this.#missesLeft === 0) return void this.#pause();
    this.#remembered ??= new Map();
    if (this.#remembered.size >= maxRemembered) this.#remembered.delete(this.#remembered.keys().next().value as string);
    this.#remembered.set(key, fields);
  }

  #pause(): void {
    this.#remembered = undefined;
    this.#missesLeft = maxMisses;
    this.#pauseLeft = pause;
  }

  #decode(bytes: Buffer, start: number, end: number): RequestFields {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    const fields = new RequestFields(this.#limits);
    this.#readResizings();
    while (this.#at < end) this.#readField(fields, bytes[this.#at] as number);
    this.#bytes = nothing;
    return fields;
  }

  /** They may only come before all fields. */
  #readResizings(): void {
    while (this.#at < this.#end && ((this.#bytes[this.#at] as number) & 0xe0) === 0x20) {
      const limit = this.#readInteger(31);
      if (limit > defaultHeaderTableBytes) throw malformed('the table may not be so large');
      this.table.resize(limit);
    }
  }

  #readField(fields: RequestFields, first: number): void {
    if (first >= 0x80) fields.addField(this.#fieldAt(this.#readInteger(127)));
    else if (first >= 0x40) this.#readIndexed(fields);
    else if (first >= 0x20) throw malformed('the table may not be resized here');
    else this.#readLiteral(fields);
  }

  #readIndexed(fields: RequestFields): void {
    const name = this.#readName(63);
    const value = this.#readText();
    const field = headerField(name, value, this.#isWellFormed);
    this.table.add(field);
    fields.addField(field);
  }

  #readLiteral(fields: RequestFields): void {
    const name = this.#readName(15);
    const value = this.#readText();
    fields.add(name, value, this.#isWellFormed);
  }

  #readName(prefix: number): HeaderName {
    const index = this.#readInteger(prefix);
    return index === 0 ? headerName(this.#readText()) : this.#fieldAt(index).name;
  }

  #fieldAt(index: number): HeaderField {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.table.at(index - staticTable.length - 1);
    if (!field) throw malformed('there is no such entry');
    return field;
  }

  /** `prefix` is the largest number that fits into the first byte. */
  #readInteger(prefix: number): number {
    let value = (this.#bytes[this.#at++] as number) & prefix;
    if (value < prefix) return value;
    for (let scale = 1; ; scale *= 128) {
      if (this.#at >= this.#end || scale > maxScale) throw malformed('a number does not end');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  #readText(): string {
    if (this.#at >= this.#end) throw malformed('a text is missing');
    const isHuffman = (this.#bytes[this.#at] as number) >= 128;
    const length = this.#readInteger(127);
    const start = this.#at;
    if (length > this.#end - start) throw malformed('a text is cut off');
    this.#at = start + length;
    if (isHuffman) return this.#expand(start, length);
    this.#isWellFormed = isValue(this.#bytes, start, start + length);
    return length === 0 ? '' : this.#bytes.toString('latin1', start, start + length);
  }

  #expand(start: number, length: number): string {
    if (scratch.length < 2 * length) scratch = Buffer.allocUnsafeSlow(2 * length);
    const decoded = decodeHuffman(this.#bytes, start, start + length, scratch);
    if (decoded < 0) throw malformed('a text is not well formed');
    this.#isWellFormed = isValue(scratch, 0, decoded);
    const text = scratch.toString('latin1', 0, decoded);
    if (scratch.length > initialScratchBytes) scratch = Buffer.allocUnsafeSlow(initialScratchBytes);
    return text;
  }
}

const nothing = Buffer.alloc(0);
/** Four bytes after the first: more than any number that makes sense here. */
const maxScale = 128 ** 3;
const initialScratchBytes = 4096;
/** Decoding never waits, so that all connections share it. */
let scratch = Buffer.allocUnsafeSlow(initialScratchBytes);

function malformed(reason: string): ConnectionError {
  return new ConnectionError(errorCode.compression, reason);
}

/** No control characters, and no spaces around it. */
function isValue(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return true;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte < 0x20 ? byte !== 0x09 : byte === 0x7f) return false;
  }
  return !isSpace(bytes[start] as number) && !isSpace(bytes[end - 1] as number);
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09;
}
