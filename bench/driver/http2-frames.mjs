/** The HTTP/2 frames (RFC 9113) a client of an API server needs. */

export const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 };
export const frameFlag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8 };
export const setting = { headerTableSize: 1, enablePush: 2, initialWindowSize: 4 };
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const frameHeaderSize = 9;

/** @param {Buffer} target @param {number} type @param {number} flags @param {number} stream */
function writeFrameHeader(target, type, flags, stream) {
  target.writeUIntBE(target.length - frameHeaderSize, 0, 3);
  target[3] = type;
  target[4] = flags;
  target.writeUInt32BE(stream, 5);
}

/** @param {number} type @param {number} flags @param {number} stream @param {readonly Buffer[]} payload copied into the frame */
export function encodeFrame(type, flags, stream, payload) {
  let size = frameHeaderSize;
  for (const part of payload) size += part.length;
  const encoded = Buffer.allocUnsafe(size);
  writeFrameHeader(encoded, type, flags, stream);
  let at = frameHeaderSize;
  for (const part of payload) at += part.copy(encoded, at);
  return encoded;
}

/** @param {Record<number, number>} values */
export function settingsFrame(values) {
  const entries = Object.entries(values);
  const payload = Buffer.alloc(entries.length * 6);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(Number(id), index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  });
  return encodeFrame(frameType.settings, 0, 0, [payload]);
}

/** @param {number} stream @param {number} increment */
export function windowUpdateFrame(stream, increment) {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return encodeFrame(frameType.windowUpdate, 0, stream, [payload]);
}

/**
 * @typedef {object} FrameHandler
 * @property {(stream: number, part: Buffer) => void} data  a part of a DATA frame, as read from the socket
 * @property {(stream: number, last: boolean) => void} dataEnd
 * @property {(type: number, flags: number, stream: number, payload: Buffer) => void} frame  any other frame, complete
 */

/** Splits a byte stream into frames; the payload of DATA frames is passed on unbuffered. */
export class FrameReader {
  #header = Buffer.alloc(frameHeaderSize);
  #headerFilled = 0;
  #left = 0;
  /** @type {Buffer[]} */
  #gathered = [];

  /** @param {FrameHandler} handler */
  constructor(handler) {
    this.handler = handler;
  }

  /** @param {Buffer} chunk */
  read(chunk) {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerFilled < frameHeaderSize) at = this.#fillHeader(chunk, at);
      if (this.#headerFilled < frameHeaderSize) return;
      const end = Math.min(at + this.#left, chunk.length);
      this.#left -= end - at;
      if (end > at) this.#take(chunk.subarray(at, end));
      at = end;
      if (this.#left === 0) this.#endFrame();
    }
  }

  /** @param {Buffer} chunk @param {number} at @returns {number} where the payload begins */
  #fillHeader(chunk, at) {
    const end = Math.min(at + frameHeaderSize - this.#headerFilled, chunk.length);
    for (let from = at; from < end; from++) this.#header[this.#headerFilled++] = chunk[from];
    if (this.#headerFilled === frameHeaderSize) this.#left = this.#header.readUIntBE(0, 3);
    return end;
  }

  /** @param {Buffer} part */
  #take(part) {
    if (this.#header[3] !== frameType.data) {
      this.#gathered.push(part);
      return;
    }
    if (this.#header[4] & frameFlag.padded) throw new Error('padded DATA frames are not supported');
    this.handler.data(this.#header.readUInt32BE(5), part);
  }

  #endFrame() {
    const stream = this.#header.readUInt32BE(5);
    const type = this.#header[3];
    const flags = this.#header[4];
    const payload = this.#gathered.length === 1 ? this.#gathered[0] : Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#headerFilled = 0;
    if (type === frameType.data) this.handler.dataEnd(stream, (flags & frameFlag.endStream) !== 0);
    else this.handler.frame(type, flags, stream, payload);
  }
}
