/** Slicing a short string out of a larger one is cheaper than decoding bytes; a longer slice would keep the whole string alive. */
const shortString = 12;
/** Larger messages are not converted to one string. */
const textLimit = 64 * 1024;

/** Reads the wire format, never beyond the end of the current message. Throws ProtobufError. */
export class ProtobufReader {
  position = 0;
  /** End of the innermost message. */
  end: number;
  private readonly bytes: Buffer;
  private depth: number;
  /** Upper 32 bits of the last varint. */
  private high = 0;
  /** The message as a latin1 string, created on demand. */
  private latin1: string | undefined;

  constructor(bytes: Uint8Array, depth: number) {
    this.bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.end = bytes.length;
    this.depth = depth;
  }

  /** Enters a length-delimited message. Pass the result to `leave`. */
  enter(): number {
    if (--this.depth < 0) throw new ProtobufError('exceeded max depth');
    const length = this.length();
    const outer = this.end;
    this.end = this.position + length;
    return outer;
  }

  leave(outer: number): void {
    this.depth++;
    this.end = outer;
  }

  /** Reads a tag: number << 3 | wire type. */
  tag(message: string): number {
    const tag = this.varint();
    const type = tag & 7;
    if (type === wire.groupEnd) throw new ProtobufError(`proto: ${message}: wiretype end group for non-group`);
    if (tag < 8 || this.high !== 0) throw new ProtobufError(`proto: ${message}: illegal tag ${tag >>> 3} (wire type ${type})`);
    return tag;
  }

  boolean(): boolean {
    return (this.varint() | this.high) !== 0;
  }

  int32(): number {
    return this.varint() | 0;
  }

  /** Returns a bigint where a number is not exact. */
  int64(): number | bigint {
    const low = this.varint();
    const value = (this.high | 0) * 0x1_0000_0000 + low;
    return Number.isSafeInteger(value) ? value : (BigInt(this.high | 0) << 32n) | BigInt(low);
  }

  double(): number {
    const start = this.advance(8);
    return this.bytes.readDoubleLE(start);
  }

  string(): string {
    const length = this.length();
    const start = this.position;
    this.position = start + length;
    const short = length <= shortString && this.bytes.length <= textLimit;
    return short && this.isAscii(start) ? this.cut(start) : this.bytes.toString('utf8', start, this.position);
  }

  base64(): string {
    const start = this.advance(this.length());
    return this.bytes.toString('base64', start, this.position);
  }

  /** Returns a view. */
  slice(): Buffer {
    const start = this.advance(this.length());
    return this.bytes.subarray(start, this.position);
  }

  /** Skips a value after its tag; a group with its content. */
  skip(type: number): void {
    let groups = 0;
    for (let next = type; ; next = this.varint() & 7) {
      if (next === wire.groupStart) groups++;
      else if (next === wire.groupEnd) groups--;
      else this.skipValue(next);
      if (groups <= 0) return;
    }
  }

  private skipValue(type: number): void {
    if (type === wire.varint) this.varint();
    else if (type === wire.bytes) this.advance(this.length());
    else if (type === wire.fixed64) this.advance(8);
    else if (type === wire.fixed32) this.advance(4);
    else throw new ProtobufError(`proto: illegal wireType ${type}`);
  }

  private cut(start: number): string {
    this.latin1 ??= this.bytes.toString('latin1');
    return this.latin1.slice(start, this.position);
  }

  /** Whether the bytes from `start` to the position are ASCII. */
  private isAscii(start: number): boolean {
    for (let at = start; at < this.position; at++) if ((this.bytes[at] as number) >= 0x80) return false;
    return true;
  }

  /** Advances; returns the previous position. */
  private advance(length: number): number {
    const start = this.position;
    if (length > this.end - start) throw unexpectedEnd();
    this.position = start + length;
    return start;
  }

  private length(): number {
    const length = this.varint();
    if (this.high >= 0x8000_0000) throw new ProtobufError('proto: negative length found during unmarshaling');
    if (this.high !== 0 || length > this.end - this.position) throw unexpectedEnd();
    return length;
  }

  /** Returns the lower 32 bits; the upper ones are left in `high`. */
  private varint(): number {
    if (this.position >= this.end) throw unexpectedEnd();
    const byte = this.bytes[this.position] as number;
    if (byte >= 0x80) return this.longVarint();
    this.position++;
    this.high = 0;
    return byte;
  }

  private longVarint(): number {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.position >= this.end) throw unexpectedEnd();
      const byte = this.bytes[this.position++] as number;
      const bits = byte & 0x7f;
      if (shift <= 28) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.high = high >>> 0;
        return low >>> 0;
      }
    }
    throw new ProtobufError('proto: integer overflow');
  }
}

/** Wire types. Groups are only skipped. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, groupEnd: 4, fixed32: 5 } as const;

export type WireType = 0 | 1 | 2;

/** Malformed protobuf, with the messages of Kubernetes' decoder; or a value that cannot be encoded. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const unexpectedEnd = () => new ProtobufError('unexpected EOF');
