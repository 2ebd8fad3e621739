/** Shorter texts have a length of one byte. */
const longText = 128;

/** Writes protobuf messages into one growing buffer. */
export class ProtobufWriter {
  #buffer = Buffer.allocUnsafe(1 << 16);
  #length = 0;

  string(field: number, text: string): void {
    this.#varint(field * 8 + 2);
    if (text.length < longText && this.#writeAscii(text)) return;
    const size = Buffer.byteLength(text);
    this.#varint(size);
    this.#reserve(size);
    this.#length += this.#buffer.write(text, this.#length);
  }

  /** For short texts a loop is several times faster than a call into the runtime. */
  #writeAscii(text: string): boolean {
    this.#reserve(longText);
    const start = this.#length;
    this.#buffer[start] = text.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#buffer[start + 1 + i] = code;
    }
    this.#length = start + 1 + text.length;
    return true;
  }

  bytes(field: number, value: Uint8Array): void {
    this.#varint(field * 8 + 2);
    this.#varint(value.length);
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  bool(field: number, value: boolean): void {
    this.#varint(field * 8);
    this.#varint(value ? 1 : 0);
  }

  /** A whole number that is not negative. */
  integer(field: number, value: number): void {
    this.#varint(field * 8);
    this.#varint(value);
  }

  double(field: number, value: number): void {
    this.#varint(field * 8 + 1);
    this.#reserve(8);
    this.#length = this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** Room for a short length is left before the message; a long one is made room for by moving the message. */
  message(field: number, write: () => void): void {
    this.#varint(field * 8 + 2);
    this.#reserve(1);
    const start = this.#length + 1;
    this.#length = start;
    write();
    const size = this.#length - start;
    const extra = varintSize(size) - 1;
    if (extra > 0) {
      this.#reserve(extra);
      this.#buffer.copyWithin(start + extra, start, this.#length);
    }
    this.#length = start - 1;
    this.#varint(size);
    this.#length += size;
  }

  finish(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.#length));
  }

  #varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7f) {
      this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
      rest = rest < 2 ** 31 ? rest >>> 7 : Math.floor(rest / 128);
    }
    this.#buffer[this.#length++] = rest;
  }

  #reserve(size: number): void {
    if (this.#length + size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + size));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) size++;
  return size;
}
