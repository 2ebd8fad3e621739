import { type HeaderField, type HeaderName, headerField, headerName } from './header-field.ts';
import { DynamicTable, staticTable } from './header-tables.ts';
import { decodeHuffman } from './huffman.ts';
import { defaultHeaderTableBytes, errorCode, Http2ConnectionError } from './protocol.ts';
import { type HeaderLimits, RequestFields } from './request-fields.ts';

/** Longer blocks are not cached: they rarely repeat. */
const maxCachedBytes = 256;
const maxCachedBlocks = 32;
/** After this many misses more than hits, the cache is skipped for `pauseBlocks`: this client's blocks do not repeat. */
const maxMisses = 64;
const pauseBlocks = 4096;

/** HPACK decoder of one connection (RFC 7541), with a cache of whole blocks. */
export class HeaderDecoder {
  readonly table = new DynamicTable();
  readonly #limits: HeaderLimits;
  /** Decoded blocks, valid as long as the dynamic table does not change. */
  #cache: Map<string, RequestFields> | undefined;
  #generation = 0;
  #missesLeft = maxMisses;
  #pauseLeft = 0;
  #bytes: Buffer = empty;
  #at = 0;
  #end = 0;
  /** Whether the last string was a valid field value. */
  #isWellFormed = true;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /** Throws Http2ConnectionError: after an invalid block the dynamic table is out of sync. */
  decode(bytes: Buffer, start: number, end: number): RequestFields {
    if (end - start > maxCachedBytes || this.#pauseLeft > 0) return this.#decodeUncached(bytes, start, end);
    const key = bytes.toString('latin1', start, end);
    if (this.#generation !== this.table.generation) this.#clearCache();
    const known = this.#cache?.get(key);
    if (known) {
      if (this.#missesLeft < maxMisses) this.#missesLeft++;
      return known;
    }
    const fields = this.#decode(bytes, start, end);
    if (this.#generation === this.table.generation) this.#store(key, fields);
    return fields;
  }

  #decodeUncached(bytes: Buffer, start: number, end: number): RequestFields {
    if (this.#pauseLeft > 0) this.#pauseLeft--;
    return this.#decode(bytes, start, end);
  }

  #clearCache(): void {
    this.#cache?.clear();
    this.#generation = this.table.generation;
  }

  #store(key: string, fields: RequestFields): void {
    if (--this.#missesLeft === 0) return void this.#pause();
    this.#cache ??= new Map();
    const [oldest] = this.#cache.keys();
    if (oldest !== undefined && this.#cache.size >= maxCachedBlocks) this.#cache.delete(oldest);
    this.#cache.set(key, fields);
  }

  #pause(): void {
    this.#cache = undefined;
    this.#missesLeft = maxMisses;
    this.#pauseLeft = pauseBlocks;
  }

  #decode(bytes: Buffer, start: number, end: number): RequestFields {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    const fields = new RequestFields(this.#limits);
    this.#readTableSizes();
    while (this.#at < end) this.#readField(fields, bytes[this.#at] as number);
    this.#bytes = empty;
    return fields;
  }

  /** Table size updates are allowed only at the start of a block. */
  #readTableSizes(): void {
    while (this.#at < this.#end && ((this.#bytes[this.#at] as number) & 0xe0) === 0x20) {
      const limit = this.#readInteger(31);
      if (limit > defaultHeaderTableBytes) throw malformed('table size above the limit');
      this.table.resize(limit);
    }
  }

  #readField(fields: RequestFields, first: number): void {
    if (first >= 0x80) fields.addField(this.#fieldAt(this.#readInteger(127)));
    else if (first >= 0x40) this.#readIndexed(fields);
    else if (first >= 0x20) throw malformed('table size update after a field');
    else this.#readLiteral(fields);
  }

  #readIndexed(fields: RequestFields): void {
    const name = this.#readName(63);
    const value = this.#readString();
    const field = headerField(name, value, this.#isWellFormed);
    this.table.add(field);
    fields.addField(field);
  }

  #readLiteral(fields: RequestFields): void {
    const name = this.#readName(15);
    const value = this.#readString();
    fields.add(name, value, this.#isWellFormed);
  }

  #readName(prefix: number): HeaderName {
    const index = this.#readInteger(prefix);
    return index === 0 ? headerName(this.#readString()) : this.#fieldAt(index).name;
  }

  #fieldAt(index: number): HeaderField {
    const field = index <= staticTable.length ? staticTable[index - 1] : this.table.at(index - staticTable.length - 1);
    if (!field) throw malformed('invalid index');
    return field;
  }

  /** `prefix` is the largest number that fits into the first byte (RFC 7541, 5.1). */
  #readInteger(prefix: number): number {
    let value = (this.#bytes[this.#at++] as number) & prefix;
    if (value < prefix) return value;
    for (let scale = 1; ; scale *= 128) {
      if (this.#at >= this.#end || scale > maxScale) throw malformed('integer too large');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  #readString(): string {
    if (this.#at >= this.#end) throw malformed('string missing');
    const isHuffman = (this.#bytes[this.#at] as number) >= 128;
    const length = this.#readInteger(127);
    const start = this.#at;
    if (length > this.#end - start) throw malformed('string truncated');
    this.#at = start + length;
    if (isHuffman) return this.#readHuffman(start, length);
    this.#isWellFormed = isValue(this.#bytes, start, start + length);
    return length === 0 ? '' : this.#bytes.toString('latin1', start, start + length);
  }

  #readHuffman(start: number, length: number): string {
    if (scratch.length < 2 * length) scratch = Buffer.allocUnsafeSlow(2 * length);
    const decoded = decodeHuffman(this.#bytes, start, start + length, scratch);
    if (decoded < 0) throw malformed('invalid Huffman code');
    this.#isWellFormed = isValue(scratch, 0, decoded);
    const text = scratch.toString('latin1', 0, decoded);
    if (scratch.length > initialScratchBytes) scratch = Buffer.allocUnsafeSlow(initialScratchBytes);
    return text;
  }
}

const empty = Buffer.alloc(0);
/** Four bytes after the first: more than any valid number needs. */
const maxScale = 128 ** 3;
const initialScratchBytes = 4096;
/** Shared by all connections, because decoding is synchronous. */
let scratch = Buffer.allocUnsafeSlow(initialScratchBytes);

function malformed(reason: string): Http2ConnectionError {
  return new Http2ConnectionError(errorCode.compression, reason);
}

/** No control characters, and no leading or trailing whitespace. */
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
