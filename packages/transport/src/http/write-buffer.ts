/**
 * Where everything is put that one connection is about to send, so that it leaves in one piece. All connections use the
 * same memory one after the other: filling it never waits.
 */
export interface BufferedWrite {
  readonly bytes: Buffer;
  /** To be called when the bytes are no longer needed. */
  release(): void;
}

interface Slab {
  readonly buffer: Buffer;
  /** Pieces that somebody still needs. */
  pieces: number;
}

const slabBytes = 256 * 1024;
/** Less than this, which is more than what is usually sent at once, and a new one is begun: what does not fit is copied. */
const minRoom = 160 * 1024;
const maxSpareSlabs = 32;
/** Memory that nobody has used for so long is given back. */
const spareMs = 5000;

export class WriteBuffer {
  /** Valid until the next `reserve`. */
  buffer: Buffer;
  /** Where the next byte goes. */
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

  /** Makes room for so many bytes after `at`. */
  reserve(bytes: number): void {
    if (this.at + bytes > this.buffer.length) this.#move(bytes);
  }

  /** Forgets what has been put there since the last time: it could not be finished. */
  discard(): void {
    this.at = this.#start;
  }

  /** What has been put there since the last time. */
  take(): BufferedWrite | undefined {
    if (this.at === this.#start) return undefined;
    const slab = this.#slab;
    const bytes = this.buffer.subarray(this.#start, this.at);
    slab.pieces++;
    this.#isUsed = true;
    this.#start = this.at;
    if (this.buffer.length - this.at < minRoom) this.#begin(slabBytes);
    return { bytes, release: () => this.#release(slab) };
  }

  #release(slab: Slab): void {
    slab.pieces--;
    if (slab.pieces > 0) return;
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
    if (before.pieces === 0) this.#keep(before);
    this.buffer = this.#slab.buffer;
    this.#start = this.at = 0;
  }
}

/** Memory is taken when there is something to send. */
function newSlab(bytes: number): Slab {
  return { buffer: Buffer.allocUnsafeSlow(bytes === 0 ? 0 : Math.max(slabBytes, bytes)), pieces: 0 };
}
