/** Bytes that have come and are still to be read. Growing piece by piece costs no more than twice the bytes. */
export class Received {
  bytes: Buffer = nothing;
  start = 0;
  end = 0;
  #isOwn = false;

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
    this.bytes = nothing;
    this.start = 0;
    this.end = 0;
    this.#isOwn = false;
  }

  /** All that is there, which is then no longer here. */
  takeAll(): Buffer {
    const rest = this.bytes.subarray(this.start, this.end);
    this.clear();
    return rest;
  }

  #hold(chunk: Buffer): void {
    this.bytes = chunk;
    this.start = 0;
    this.end = chunk.length;
    this.#isOwn = false;
  }

  #append(chunk: Buffer): void {
    if (!this.#isOwn || this.end + chunk.length > this.bytes.length) this.#grow(this.length + chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafe(2 * needed);
    this.bytes.copy(larger, 0, this.start, this.end);
    this.end -= this.start;
    this.start = 0;
    this.bytes = larger;
    this.#isOwn = true;
  }
}

const nothing = Buffer.alloc(0);
