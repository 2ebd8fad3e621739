import { frameFlag, frameType } from '../protocol.ts';

/** Encodes a frame, valid or not. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
export const hello = Buffer.concat([preface, frame(frameType.settings, 0, 0)]);

/** A header block of literals without indexing. */
export function block(...fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(fields.map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([hpackInteger(bytes.length, 127), bytes]);
}

export function hpackInteger(value: number, prefix: number, kind = 0): Buffer {
  if (value < prefix) return Buffer.of(kind | value);
  const bytes = [kind | prefix];
  let rest = value - prefix;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.of(...bytes, rest);
}

export const requestLine: readonly (readonly [string, string])[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':path', '/'],
  [':authority', 'localhost'],
];

export const postLine = requestLine.map(([name, value]) => [name, name === ':method' ? 'POST' : value] as const);

/** A request without a body. */
export function getFrame(stream: number, ...more: readonly (readonly [string, string])[]): Buffer {
  return frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, stream, block(...requestLine, ...more));
}

/** The header of a request whose body follows. */
export function postFrame(stream: number, ...more: readonly (readonly [string, string])[]): Buffer {
  return frame(frameType.headers, frameFlag.endHeaders, stream, block(...postLine, ...more));
}

export function data(stream: number, payload: string | Uint8Array, flags = 0): Buffer {
  return frame(frameType.data, flags, stream, Buffer.from(payload));
}

export function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

export function settings(...pairs: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(6 * pairs.length);
  for (const [i, [id, value]] of pairs.entries()) {
    payload.writeUInt16BE(id, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  }
  return frame(frameType.settings, 0, 0, payload);
}

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, end),
    });
    at = end;
  }
  return frames;
}
