import { connect, type TLSSocket } from 'node:tls';
import type { Client } from '../support/client.ts';
import { credentials } from './tls.ts';

/** Raw frames, for input that no well-behaved client sends. See RFC 9113 and RFC 7541. */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
};
export const flags = { none: 0, endStream: 1, acknowledge: 1, endHeaders: 4 };

export function frame(type: number, flag: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(frameTypes.settings, flags.none, 0),
]);

/** Encodes every field as a literal without indexing, the simplest HPACK encoding. */
export function headerBlock(fields: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(Object.entries(fields).map(([name, value]) => Buffer.concat([Buffer.of(0), text(name), text(value)])));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([prefixed(bytes.length), bytes]);
}

/** An HPACK integer with a 7-bit prefix. */
function prefixed(value: number): Buffer {
  if (value < 127) return Buffer.of(value);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  return Buffer.of(...bytes, rest);
}

export function requestHeaders(method: string, path: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return headerBlock({ ':method': method, ':scheme': 'https', ':authority': 'localhost', ':path': path, ...more });
}

/** A raw connection with the types of the received frames. */
export interface RawConversation {
  readonly socket: TLSSocket;
  /** All bytes received so far. */
  received(): Buffer;
  closed(): boolean;
}

/** Opens a connection and sends the preface or other bytes. */
export function openRaw(client: Client, opening: Uint8Array = preface): Promise<RawConversation> {
  const { hostname, port } = new URL(client.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ...credentials(client), ALPNProtocols: ['h2'] });
    const chunks: Buffer[] = [];
    let closed = false;
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      closed = true;
    });
    socket.once('secureConnect', () => {
      socket.write(opening);
      resolve({ socket, received: () => Buffer.concat(chunks), closed: () => closed });
    });
  });
}

export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

export function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    frames.push({
      type: bytes.readUInt8(at + 3),
      stream: bytes.readUInt32BE(at + 5),
      payload: bytes.subarray(at + 9, at + 9 + length),
    });
    at += 9 + length;
  }
  return frames;
}
