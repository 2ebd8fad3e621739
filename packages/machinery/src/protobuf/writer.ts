import { ProtobufError } from './reader.ts';

const initialSize = 16 * 1024;
/** Larger buffers are not kept for the next message. */
const maxKeptSize = 1024 * 1024;
/** Up to this length a loop is faster than a native call. */
const shortString = 24;

/**
 * Writes the wire format backwards, so that the length of a message is known when it is written. Write fields, items and
 * entries in reverse order.
 */
export class ProtobufWriter {
  private buffer = Buffer.allocUnsafeSlow(initialSize);
  /** Start of the written bytes. */
  private position = initialSize;

  /** Number of bytes written. */
  get length(): number {
    return this.buffer.length - this.position;
  }

  /** Returns a copy of the bytes and resets the writer. */
  finish(): Buffer {
    const bytes = Buffer.from(this.buffer.subarray(this.position));
    if (this.buffer.length > maxKeptSize) this.buffer = Buffer.allocUnsafeSlow(initialSize);
    this.position = this.buffer.length;
    return bytes;
  }

  /** Discards the written bytes. */
  clear(): void {
    this.position = this.buffer.length;
  }

  byte(value: number): void {
    this.reserve(1);
    this.buffer[--this.position] = value;
  }

  /** A varint of up to 32 bits. */
  uint32(value: number): void {
    const size = varintSize(value);
    this.reserve(size);
    this.position -= size;
    writeVarint(value, this.buffer, this.position);
  }

  /** Negative numbers take ten bytes. */
  int64(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= 0xffff_ffff) {
      this.uint32(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    for (const byte of bytes.reverse()) this.byte(byte);
  }

  double(value: number): void {
    this.reserve(8);
    this.position -= 8;
    this.buffer.writeDoubleLE(value, this.position);
  }

  /** UTF-8 without its length. */
  text(value: string): void {
    if (value.length <= shortString && this.ascii(value)) return;
    const size = Buffer.byteLength(value);
    this.reserve(size);
    this.position -= size;
    this.buffer.write(value, this.position);
  }

  base64(value: string): void {
    const bytes = Buffer.byteLength(value, 'base64');
    this.reserve(bytes);
    const start = this.position - bytes;
    const written = this.buffer.write(value, start, bytes, 'base64');
    if (written !== bytes) throw new ProtobufError('illegal base64 data');
    this.position = start;
  }

  /** The bytes without their length. */
  bytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.position -= value.length;
    this.buffer.set(value, this.position);
  }

  stringField(field: number, value: string): void {
    const before = this.length;
    this.text(value);
    this.lengthAndTag(field, before);
  }

  bytesField(field: number, value: Uint8Array): void {
    const before = this.length;
    this.bytes(value);
    this.lengthAndTag(field, before);
  }

  boolField(field: number, value: boolean): void {
    this.byte(value ? 1 : 0);
    this.uint32(field << 3);
  }

  intField(field: number, value: number): void {
    this.int64(value);
    this.uint32(field << 3);
  }

  doubleField(field: number, value: number): void {
    this.double(value);
    this.uint32((field << 3) | 1);
  }

  /** `write` writes the fields of the message, last first. */
  messageField(field: number, write: () => void): void {
    const before = this.length;
    write();
    this.lengthAndTag(field, before);
  }

  private lengthAndTag(field: number, before: number): void {
    this.uint32(this.length - before);
    this.uint32((field << 3) | 2);
  }

  /** Writes nothing and returns false if the text is not ASCII. */
  private ascii(value: string): boolean {
    this.reserve(value.length);
    let at = this.position;
    for (let i = value.length - 1; i >= 0; i--) {
      const code = value.charCodeAt(i);
      if (code >= 0x80) return false;
      this.buffer[--at] = code;
    }
    this.position = at;
    return true;
  }

  private reserve(size: number): void {
    if (size > this.position) this.grow(size);
  }

  private grow(size: number): void {
    const { length } = this;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, length + size));
    this.buffer.copy(larger, larger.length - length, this.position);
    this.position = larger.length - length;
    this.buffer = larger;
  }
}

/** Encoded size of a varint of up to 32 bits. */

export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest !== 0; rest >>>= 7) size++;
  return size;
}

/** Writes a varint forwards; returns the end position. */
export function writeVarint(value: number, out: Uint8Array, at: number): number {
  let rest = value;
  let next = at;
  for (; rest > 0x7f; rest >>>= 7) out[next++] = (rest & 0x7f) | 0x80;
  out[next++] = rest;
  return next;
}
