/** Bytes of a WriteBuffer that are being written to a socket. */
export interface BufferedWrite {
  readonly bytes: Buffer;
  /** Must be called when the socket no longer needs the bytes. */
  release(): void;
}

interface Slab {
  readonly buffer: Buffer;
  /** Writes that have not been released. */
  writes: number;
}

const slabBytes = 256 * 1024;
/** With less room left a new slab is begun, because a write that does not fit is copied. Most writes are smaller than this. */
const minRoom = 160 * 1024;
const maxSpareSlabs = 32;
/** Slabs that were unused for this long are freed. */
const spareMs = 5000;

/**
 * Collects what one connection is about to send, so that it leaves in one write. All connections share the memory: it is filled
 * and taken synchronously.
 */
export class WriteBuffer {
  /** Valid until the next `reserve`. */
  buffer: Buffer;
  /** Position of the next byte. */
  at = 0;
  #start = 0;
  #slab: Slab;
  #spare: Slab[] = [];
  #isUsed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.#slab = newSlab(0);
    this.buffer = this.#slab.buffer;
  }

  get length(): number {
    return this.at - this.#start;
  }

  /** Makes room for `bytes` after `at`. */
  reserve(bytes: number): void {
    if (this.at + bytes > this.buffer.length) this.#move(bytes);
  }

  /** Drops the bytes written since the last `take`. */
  discard(): void {
    this.at = this.#start;
  }

  /** The bytes written since the last `take`. */
  take(): BufferedWrite | undefined {
    if (this.at === this.#start) return undefined;
    const slab = this.#slab;
    const bytes = this.buffer.subarray(this.#start, this.at);
    slab.writes++;
    this.#isUsed = true;
    this.#start = this.at;
    if (this.buffer.length - this.at < minRoom) this.#begin(slabBytes);
    return { bytes, release: () => this.#release(slab) };
  }

  #release(slab: Slab): void {
    slab.writes--;
    if (slab.writes > 0) return;
    if (slab === this.#slab) {
      if (this.#start === this.at) this.#start = this.at = 0;
    } else this.#keep(slab);
  }

  #keep(slab: Slab): void {
    if (slab.buffer.length !== slabBytes || this.#spare.length >= maxSpareSlabs) return;
    this.#spare.push(slab);
    this.#timer ??= setTimeout(() => this.#trim(), spareMs).unref();
  }

  #trim(): void {
    this.#timer = undefined;
    if (!this.#isUsed) this.#spare = [];
    else this.#timer = setTimeout(() => this.#trim(), spareMs).unref();
    this.#isUsed = false;
  }

  #move(bytes: number): void {
    const { buffer, length } = this;
    const start = this.#start;
    this.#begin(length + bytes);
    buffer.copy(this.buffer, 0, start, start + length);
    this.at = length;
  }

  #begin(bytes: number): void {
    const before = this.#slab;
    this.#slab = (bytes <= slabBytes ? this.#spare.pop() : undefined) ?? newSlab(bytes);
    if (before.writes === 0) this.#keep(before);
    this.buffer = this.#slab.buffer;
    this.#start = this.at = 0;
  }
}

/** The first slab is empty: memory is allocated with the first write. */
function newSlab(bytes: number): Slab {
  return { buffer: Buffer.allocUnsafeSlow(bytes === 0 ? 0 : Math.max(slabBytes, bytes)), writes: 0 };
}
