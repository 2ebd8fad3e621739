import { errorCode, frameFlag, frameHeaderBytes, Http2ConnectionError, maxFrameBytes } from './protocol.ts';
/** Called with every complete frame; its payload is `bytes` from `start` to `end`, and may be retained. */
export type OnFrame = (type: number, flags: number, stream: number, bytes: Buffer, start: number, end: number) => void;

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Splits the input into frames. Only a frame that arrives in several chunks is copied. */
export class FrameReader {
  readonly #onFrame: OnFrame;
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Bytes needed for the next frame. */
  #needed = 0;
  #hasPreface = false;
  #isOver = false;

  constructor(onFrame: OnFrame) {
    this.#onFrame = onFrame;
  }

  /** Whether the connection preface has arrived. */
  get hasPreface(): boolean {
    return this.#hasPreface;
  }

  /** Ignores all further input. */
  stop(): void {
    this.#isOver = true;
    this.#held = [];
  }

  /** Throws Http2ConnectionError. */
  read(chunk: Buffer): void {
    if (this.#isOver) return;
    const bytes = this.#heldBytes > 0 ? this.#joined(chunk) : chunk;
    if (!bytes) return;
    let at = 0;
    if (!this.#hasPreface) {
      if (!this.#readPreface(bytes)) return void this.#hold(bytes, preface.length);
      at = preface.length;
    }
    this.#readFrames(bytes, at);
  }

  #readFrames(bytes: Buffer, from: number): void {
    let at = from;
    while (bytes.length - at >= frameHeaderBytes && !this.#isOver) {
      const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
      if (length > maxFrameBytes) throw new Http2ConnectionError(errorCode.frameSize, 'frame too large');
      const start = at + frameHeaderBytes;
      if (start + length > bytes.length) return void this.#hold(bytes.subarray(at), frameHeaderBytes + length);
      this.#onFrame(bytes[at + 3] as number, bytes[at + 4] as number, streamAt(bytes, at + 5), bytes, start, start + length);
      at = start + length;
    }
    if (at < bytes.length && !this.#isOver) this.#hold(at === 0 ? bytes : bytes.subarray(at), frameHeaderBytes);
  }

  #hold(bytes: Buffer, needed: number): void {
    this.#held.push(bytes);
    this.#heldBytes = bytes.length;
    this.#needed = needed;
  }

  #joined(chunk: Buffer): Buffer | undefined {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#needed) return undefined;
    const joined = Buffer.concat(this.#held, this.#heldBytes);
    this.#held = [];
    this.#heldBytes = 0;
    return joined;
  }

  /** Fails at the first byte that differs. */
  #readPreface(bytes: Buffer): boolean {
    const length = Math.min(bytes.length, preface.length);
    if (bytes.compare(preface, 0, length, 0, length) !== 0)
      throw new Http2ConnectionError(errorCode.protocol, 'invalid connection preface');
    this.#hasPreface = length === preface.length;
    return this.#hasPreface;
  }
}

function streamAt(bytes: Buffer, at: number): number {
  return uint32At(bytes, at) & 0x7fffffff;
}

export function uint32At(bytes: Buffer, at: number): number {
  return (
    (((bytes[at] as number) << 24) |
      ((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number)) >>>
    0
  );
}

/** The payload without padding. */
export function payloadOf(flags: number, bytes: Buffer, start: number, end: number): Buffer {
  if ((flags & frameFlag.padded) === 0) return bytes.subarray(start, end);
  const padding = start < end ? (bytes[start] as number) : end;
  if (start + 1 + padding > end) throw new Http2ConnectionError(errorCode.protocol, 'padding exceeds the frame');
  return bytes.subarray(start + 1, end - padding);
}
