import type { Duplex } from 'node:stream';

const LENGTH_BYTES = 4;
/** Values have at most 3 MiB. */
const MAX_FRAME_BYTES = 64 * 2 ** 20;

/** Messages over a byte stream between two processes: each has a length prefix, and those of one turn share one write. */
export class FrameChannel {
  readonly #stream: Duplex;
  readonly #onFrame: (frame: Buffer) => void;
  readonly #beforeFlush: () => void;
  #outgoing: Buffer[] = [];
  #incoming: Buffer[] = [];
  #incomingBytes = 0;
  #isScheduled = false;
  #awaitsDrain = false;

  /** `beforeFlush` may add the last frames of a turn. */
  constructor(stream: Duplex, onFrame: (frame: Buffer) => void, onEnd: (error?: Error) => void, beforeFlush = () => {}) {
    this.#stream = stream;
    this.#onFrame = onFrame;
    this.#beforeFlush = beforeFlush;
    stream.on('data', (chunk: Buffer) => this.#receive(chunk));
    stream.once('error', onEnd);
    stream.once('close', () => onEnd());
  }

  /** Whether the peer has not read what was sent. */
  get isCongested(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** Flushes when the peer has read what was sent. */
  scheduleAfterDrain(): void {
    if (this.#awaitsDrain) return;
    this.#awaitsDrain = true;
    this.#stream.once('drain', () => {
      this.#awaitsDrain = false;
      this.schedule();
    });
  }

  /** The parts are sent as one frame and must not be modified. */
  send(...parts: readonly Buffer[]): void {
    const length = Buffer.allocUnsafe(LENGTH_BYTES);
    length.writeUInt32LE(parts.reduce((sum, part) => sum + part.length, 0));
    this.#outgoing.push(length, ...parts);
    this.schedule();
  }

  /** Flushes at the end of this turn of the event loop. */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.flush());
  }

  flush(): void {
    this.#beforeFlush();
    this.#isScheduled = false;
    const frames = this.#outgoing;
    this.#outgoing = [];
    if (frames.length > 0 && this.#stream.writable) this.#stream.write(Buffer.concat(frames));
  }

  close(): void {
    this.flush();
    this.#stream.end();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#incoming.push(chunk);
    this.#incomingBytes += chunk.length;
    if (this.#incomingBytes < this.#neededBytes()) return;
    const bytes = this.#incoming.length === 1 ? chunk : Buffer.concat(this.#incoming);
    const rest = bytes.subarray(this.#deliver(bytes));
    this.#incoming = rest.length > 0 ? [rest] : [];
    this.#incomingBytes = rest.length;
  }

  #neededBytes(): number {
    const first = this.#incoming[0] as Buffer;
    return first.length < LENGTH_BYTES ? LENGTH_BYTES : LENGTH_BYTES + first.readUInt32LE();
  }

  /** Returns the end of the last whole frame. */
  #deliver(bytes: Buffer): number {
    let at = 0;
    while (bytes.length - at >= LENGTH_BYTES) {
      const length = bytes.readUInt32LE(at);
      if (length > MAX_FRAME_BYTES) {
        this.#stream.destroy(new Error(`a frame of ${length} bytes was received`));
        return bytes.length;
      }
      const end = at + LENGTH_BYTES + length;
      if (end > bytes.length) break;
      this.#onFrame(bytes.subarray(at + LENGTH_BYTES, end));
      at = end;
    }
    return at;
  }
}
