import { decodeStatus, encodeHeader, encodeMethodAndScheme } from './hpack.mjs';
import {
  encodeFrame,
  FrameReader,
  frameFlag,
  frameType,
  preface,
  setting,
  settingsFrame,
  windowUpdateFrame,
} from './http2-frames.mjs';

/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').Reply} Reply
 * @typedef {import('./connection.mjs').EncodedShape} EncodedShape
 * @typedef {{ reply: Reply, consumed: number }} Stream
 * @typedef {{ body: Buffer, stream: number }} WaitingBody
 */

const defaultWindow = 65_535;
/** The windows of Go's HTTP/2 client, which most Kubernetes clients use. */
const streamWindow = 4 << 20;
const connectionWindow = 1 << 30;

/**
 * An HTTP/2 client on one socket at the level of frames: node:http2 spends more time on a request than a fast server does, and
 * the driver must not be the bottleneck.
 * @implements {Connection}
 */
export class Http2Connection {
  /** @type {Map<number, Stream>} */
  #streams = new Map();
  /** @type {Buffer[]} */
  #outgoing = [];
  /** @type {WaitingBody[]} */
  #waiting = [];
  #flushScheduled = false;
  #nextStream = 1;
  #sendWindow = defaultWindow;
  #consumed = 0;

  /** @param {import('node:tls').TLSSocket} socket @param {string} authority @param {string} [token] */
  constructor(socket, authority, token) {
    this.socket = socket;
    this.authority = authority;
    this.token = token;
    const reader = new FrameReader({
      data: (id, part) => this.#data(id, part),
      dataEnd: (id, last) => last && this.#end(id),
      frame: (type, flags, id, payload) => this.#frame(type, flags, id, payload),
    });
    socket.on('data', (chunk) => reader.read(chunk));
    socket.on('error', (error) => this.#failAll(error));
    socket.on('close', () => this.#failAll(new Error('connection closed')));
    this.#write(preface);
    this.#write(
      settingsFrame({ [setting.headerTableSize]: 0, [setting.enablePush]: 0, [setting.initialWindowSize]: streamWindow }),
    );
    this.#write(windowUpdateFrame(0, connectionWindow - defaultWindow));
  }

  /** @param {import('./connection.mjs').RequestShape} shape @returns {EncodedShape} */
  encodeShape({ method, accept, contentType, headers = {} }) {
    const regular = Object.entries(headers).map(([name, value]) => encodeHeader(name, value));
    if (accept) regular.push(encodeHeader('accept', accept));
    if (this.token) regular.push(encodeHeader('authorization', `Bearer ${this.token}`));
    if (contentType) regular.push(encodeHeader('content-type', contentType));
    const pseudo = [encodeMethodAndScheme(method), encodeHeader(':authority', this.authority)];
    return { beforePath: Buffer.concat(pseudo), afterPath: Buffer.concat(regular) };
  }

  /** @param {EncodedShape} shape @param {string} path @param {Buffer | undefined} body @param {Reply} reply */
  send(shape, path, body, reply) {
    if (this.socket.destroyed) return reply.fail(new Error('connection closed'));
    const id = this.#nextStream;
    this.#nextStream += 2;
    this.#streams.set(id, { reply, consumed: 0 });
    const flags = body ? frameFlag.endHeaders : frameFlag.endHeaders | frameFlag.endStream;
    this.#write(encodeFrame(frameType.headers, flags, id, [shape.beforePath, encodeHeader(':path', path), shape.afterPath]));
    if (body) this.#sendBody(id, body);
  }

  close() {
    this.#streams.clear();
    this.socket.destroy();
  }

  /** @param {number} stream @param {Buffer} body */
  #sendBody(stream, body) {
    if (this.#waiting.length > 0 || body.length > this.#sendWindow) this.#waiting.push({ body: Buffer.from(body), stream });
    else this.#writeBody(stream, body);
  }

  /** @param {number} stream @param {Buffer} body */
  #writeBody(stream, body) {
    this.#sendWindow -= body.length;
    this.#write(encodeFrame(frameType.data, frameFlag.endStream, stream, [body]));
  }

  /** @param {number} increment */
  #openSendWindow(increment) {
    this.#sendWindow += increment;
    let next = this.#waiting[0];
    while (next && next.body.length <= this.#sendWindow) {
      this.#waiting.shift();
      this.#writeBody(next.stream, next.body);
      next = this.#waiting[0];
    }
  }

  /** Batches the writes of one event-loop turn into one TLS record and one system call. @param {Buffer} bytes */
  #write(bytes) {
    this.#outgoing.push(bytes);
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    queueMicrotask(() => this.#flush());
  }

  #flush() {
    this.#flushScheduled = false;
    const bytes = Buffer.concat(this.#outgoing);
    this.#outgoing = [];
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  /** @param {number} id @param {Buffer} part */
  #data(id, part) {
    this.#consumed += part.length;
    if (this.#consumed >= connectionWindow / 4) {
      this.#write(windowUpdateFrame(0, this.#consumed));
      this.#consumed = 0;
    }
    const stream = this.#streams.get(id);
    if (!stream) return;
    stream.consumed += part.length;
    if (stream.consumed >= streamWindow / 2) {
      this.#write(windowUpdateFrame(id, stream.consumed));
      stream.consumed = 0;
    }
    stream.reply.data(part);
  }

  /** @param {number} type @param {number} flags @param {number} id @param {Buffer} payload */
  #frame(type, flags, id, payload) {
    const acknowledged = (flags & frameFlag.ack) !== 0;
    if (type === frameType.headers) this.#headers(id, flags, payload);
    else if (type === frameType.settings && !acknowledged) this.#write(encodeFrame(frameType.settings, frameFlag.ack, 0, []));
    else if (type === frameType.ping && !acknowledged) this.#write(encodeFrame(frameType.ping, frameFlag.ack, 0, [payload]));
    else if (type === frameType.windowUpdate && id === 0) this.#openSendWindow(payload.readUInt32BE(0));
    else if (type === frameType.reset) this.#fail(id, new Error(`stream reset by the server, code ${payload.readUInt32BE(0)}`));
    else if (type === frameType.goAway) this.#failAll(new Error(`the server sent GOAWAY, code ${payload.readUInt32BE(4)}`));
  }

  /** @param {number} id @param {number} flags @param {Buffer} payload */
  #headers(id, flags, payload) {
    const status = decodeStatus(payload);
    if (status !== 0) this.#streams.get(id)?.reply.head(status);
    if (flags & frameFlag.endStream) this.#end(id);
  }

  /** @param {number} id */
  #end(id) {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.reply.end();
  }

  /** @param {number} id @param {Error} error */
  #fail(id, error) {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.reply.fail(error);
  }

  /** @param {Error} error */
  #failAll(error) {
    for (const id of [...this.#streams.keys()]) this.#fail(id, error);
  }
}
