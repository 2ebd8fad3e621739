/** Types of SPDY/3 control frames. */
export const spdyFrameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const flagFin = 1;

/** Status codes of RST_STREAM. */
export const resetStatus = { protocolError: 1, invalidStream: 2, refused: 3, cancel: 5 } as const;

const headBytes = 8;
const version = 3;

export function controlFrame(type: number, flags: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt16BE(0x8000 | version, 0);
  frame.writeUInt16BE(type, 2);
  frame.writeUInt32BE(payload.length, 4);
  frame[4] = flags;
  payload.copy(frame, headBytes);
  return frame;
}

/** The head of a data frame with `length` bytes, which must be less than 2^24. */
export function dataHead(id: number, flags: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32BE(id, 0);
  head.writeUInt32BE(length, 4);
  head[4] = flags;
  return head;
}

export function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

export function synStream(id: number, headerBlock: Buffer): Buffer {
  return controlFrame(spdyFrameType.synStream, 0, Buffer.concat([numbers(id, 0), Buffer.from([0, 0]), headerBlock]));
}

export function synReply(id: number, headerBlock: Buffer): Buffer {
  return controlFrame(spdyFrameType.synReply, 0, Buffer.concat([numbers(id), headerBlock]));
}

/**
 * Encodes header blocks. SPDY compresses them with zlib, in one stream for a whole connection. Stored blocks are valid deflate and
 * need no state, and the few short headers of a stream are not worth compressing.
 */
export class HeaderBlockEncoder {
  #isFirst = true;

  encode(headers: Readonly<Record<string, string>>): Buffer {
    const fields = Object.entries(headers).flatMap(([name, value]) => [
      lengthPrefixed(name.toLowerCase()),
      lengthPrefixed(value),
    ]);
    const block = Buffer.concat([numbers(fields.length / 2), ...fields]);
    const head = Buffer.from([0, 0, 0, 0, 0]);
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    const start = this.#isFirst ? zlibHeader : noBytes;
    this.#isFirst = false;
    return Buffer.concat([start, head, block, syncFlush]);
  }
}

/** Deflate with a 32 KiB window and without a preset dictionary. */
const zlibHeader = Buffer.from([0x78, 0x01]);
/** An empty stored block, with which decoders release what they have. */
const syncFlush = Buffer.from([0, 0, 0, 0xff, 0xff]);
const noBytes = Buffer.alloc(0);

function lengthPrefixed(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([numbers(bytes.length), bytes]);
}

/** Receives the frames of a connection. */
export interface SpdyFrameReceiver {
  /** Bytes of a data frame as they arrive; `isEnd` with the last bytes of a stream. */
  onData(id: number, bytes: Buffer, isEnd: boolean): void;
  onControl(type: number, flags: number, payload: Buffer): void;
}

/** Control frames of these connections have a few short headers. */
const maxControlBytes = 64 * 1024;

type Pending =
  | { readonly in: 'head' }
  | { readonly in: 'data'; readonly id: number; readonly flags: number; left: number }
  | { readonly in: 'control'; readonly type: number; readonly flags: number; readonly length: number };

/** Splits received bytes into frames. The bytes of data frames are passed on without waiting for the end of the frame. */
export class SpdyFrameReader {
  readonly #receiver: SpdyFrameReceiver;
  #held: Buffer = noBytes;
  #pending: Pending = { in: 'head' };

  constructor(receiver: SpdyFrameReceiver) {
    this.#receiver = receiver;
  }

  /** Throws on a malformed frame. */
  read(chunk: Buffer): void {
    let rest = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = noBytes;
    for (let taken = this.#take(rest); taken > 0; taken = this.#take(rest)) rest = rest.subarray(taken);
    this.#held = rest;
  }

  /** Consumes a frame head, a control frame, or data; 0 if more bytes are needed. */
  #take(bytes: Buffer): number {
    const pending = this.#pending;
    if (pending.in === 'head') return this.#takeHead(bytes);
    if (pending.in === 'data') return this.#takeData(bytes, pending);
    if (bytes.length < pending.length) return 0;
    this.#pending = { in: 'head' };
    this.#receiver.onControl(pending.type, pending.flags, bytes.subarray(0, pending.length));
    return pending.length;
  }

  #takeHead(bytes: Buffer): number {
    if (bytes.length < headBytes) return 0;
    const first = bytes.readUInt32BE(0);
    const flags = bytes[4] as number;
    const length = bytes.readUIntBE(5, 3);
    if (first < 0x80000000) {
      if (length === 0) this.#receiver.onData(first, noBytes, (flags & flagFin) !== 0);
      else this.#pending = { in: 'data', id: first, flags, left: length };
      return headBytes;
    }
    if (((first >>> 16) & 0x7fff) !== version) throw new Error('a SPDY frame has an unknown version');
    if (length > maxControlBytes) throw new Error('a SPDY control frame is too large');
    if (length === 0) this.#receiver.onControl(first & 0xffff, flags, noBytes);
    else this.#pending = { in: 'control', type: first & 0xffff, flags, length };
    return headBytes;
  }

  #takeData(bytes: Buffer, pending: Extract<Pending, { in: 'data' }>): number {
    const count = Math.min(bytes.length, pending.left);
    if (count === 0) return 0;
    pending.left -= count;
    if (pending.left === 0) this.#pending = { in: 'head' };
    this.#receiver.onData(pending.id, bytes.subarray(0, count), pending.left === 0 && (pending.flags & flagFin) !== 0);
    return count;
  }
}
