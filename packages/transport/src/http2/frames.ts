import { frameFlag, frameHeaderBytes, frameType } from './protocol.ts';

/** Writes a frame header. */
export function putFrameHeader(into: Uint8Array, at: number, length: number, type: number, flags: number, stream: number): void {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  putUint32(into, at + 5, stream);
}

export function putUint32(into: Uint8Array, at: number, value: number): void {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
}

function frame(type: number, flags: number, stream: number, payloadBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(frameHeaderBytes + payloadBytes);
  putFrameHeader(bytes, 0, payloadBytes, type, flags, stream);
  return bytes;
}

export function settingsFrame(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const bytes = frame(frameType.settings, frameFlag.none, 0, 6 * settings.length);
  settings.forEach(([id, value], i) => {
    bytes.writeUInt16BE(id, frameHeaderBytes + 6 * i);
    bytes.writeUInt32BE(value, frameHeaderBytes + 6 * i + 2);
  });
  return bytes;
}

export const settingsAcknowledgement = frame(frameType.settings, frameFlag.acknowledge, 0, 0);

export function pingAcknowledgement(payload: Buffer): Buffer {
  const bytes = frame(frameType.ping, frameFlag.acknowledge, 0, 8);
  bytes.set(payload, frameHeaderBytes);
  return bytes;
}

export function windowUpdateFrame(stream: number, bytes: number): Buffer {
  return uint32Frame(frameType.windowUpdate, stream, bytes);
}

export function resetFrame(stream: number, code: number): Buffer {
  return uint32Frame(frameType.reset, stream, code);
}

function uint32Frame(type: number, stream: number, value: number): Buffer {
  const bytes = frame(type, frameFlag.none, stream, 4);
  putUint32(bytes, frameHeaderBytes, value);
  return bytes;
}

export function goAwayFrame(lastStream: number, code: number, reason: string): Buffer {
  const text = Buffer.from(reason, 'latin1');
  const bytes = frame(frameType.goAway, frameFlag.none, 0, 8 + text.length);
  putUint32(bytes, frameHeaderBytes, lastStream);
  putUint32(bytes, frameHeaderBytes + 4, code);
  bytes.set(text, frameHeaderBytes + 8);
  return bytes;
}

/** HEADERS with `:status: 100`: an indexed name and three digits. */
export function continueFrame(stream: number): Buffer {
  const bytes = frame(frameType.headers, frameFlag.endHeaders, stream, 5);
  bytes.set([0x08, 3, 0x31, 0x30, 0x30], frameHeaderBytes);
  return bytes;
}
