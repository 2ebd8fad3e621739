/**
 * @typedef {import('./connection.mjs').Connection} Connection
 * @typedef {import('./connection.mjs').Reply} Reply
 * @typedef {import('./connection.mjs').EncodedShape} EncodedShape
 * @typedef {'head' | 'body' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailer'} Awaited
 */

const lineFeed = 10;
const headEnd = Buffer.from('\r\n\r\n');
/** @type {Buffer} */
const nothing = Buffer.alloc(0);

/**
 * An HTTP/1.1 client on one socket, with pipelining. Of the response head it parses only the status and the body framing.
 * @implements {Connection}
 */
export class Http1Connection {
  /** @type {Reply | undefined} the oldest open reply */
  #reply;
  /** @type {Reply[]} */
  #later = [];
  /** @type {Awaited} */
  #awaited = 'head';
  /** Bytes of an incomplete head or chunk size. */
  #partial = nothing;
  #left = 0;

  /** @param {import('node:tls').TLSSocket} socket @param {string} authority @param {string} [token] */
  constructor(socket, authority, token) {
    this.socket = socket;
    this.authority = authority;
    this.token = token;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  /** @param {import('./connection.mjs').RequestShape} shape @returns {EncodedShape} */
  encodeShape({ method, accept, contentType, headers = {} }) {
    const lines = [
      ' HTTP/1.1',
      `Host: ${this.authority}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    if (accept) lines.push(`Accept: ${accept}`);
    if (this.token) lines.push(`Authorization: Bearer ${this.token}`);
    if (contentType) lines.push(`Content-Type: ${contentType}`);
    return { beforePath: Buffer.from(`${method} `), afterPath: Buffer.from(`${lines.join('\r\n')}\r\n`) };
  }

  /** @param {EncodedShape} shape @param {string} path @param {Buffer | undefined} body @param {Reply} reply */
  send(shape, path, body, reply) {
    if (this.socket.destroyed) return reply.fail(new Error('connection closed'));
    if (this.#reply) this.#later.push(reply);
    else this.#reply = reply;
    const ending = Buffer.from(body ? `Content-Length: ${body.length}\r\n\r\n` : '\r\n');
    this.socket.write(Buffer.concat([shape.beforePath, Buffer.from(path), shape.afterPath, ending, body ?? nothing]));
  }

  close() {
    this.#reply = undefined;
    this.#later = [];
    this.socket.destroy();
  }

  /** @param {Buffer} chunk */
  #read(chunk) {
    let rest = chunk;
    while (rest.length > 0) rest = this.#step(rest);
  }

  /** @param {Buffer} bytes @returns {Buffer} the unread rest */
  #step(bytes) {
    switch (this.#awaited) {
      case 'head':
        return this.#readUntil(headEnd, bytes, (head) => this.#startBody(head));
      case 'body':
      case 'chunk':
        return this.#readBody(bytes);
      case 'chunk-size':
        return this.#readUntil(lineFeed, bytes, (line) => this.#startChunk(line));
      case 'chunk-end':
        return this.#readUntil(lineFeed, bytes, () => this.#await('chunk-size'));
      case 'trailer':
        return this.#readUntil(lineFeed, bytes, () => this.#end());
    }
  }

  /** @param {Buffer | number} mark @param {Buffer} bytes @param {(text: Buffer) => void} found */
  #readUntil(mark, bytes, found) {
    const all = this.#partial.length > 0 ? Buffer.concat([this.#partial, bytes]) : bytes;
    const at = all.indexOf(mark);
    this.#partial = at < 0 ? all : nothing;
    if (at < 0) return nothing;
    const end = at + (typeof mark === 'number' ? 1 : mark.length);
    found(all.subarray(0, end));
    return all.subarray(end);
  }

  /** @param {Buffer} bytes */
  #readBody(bytes) {
    const part = bytes.subarray(0, this.#left);
    this.#left -= part.length;
    this.#reply?.data(part);
    if (this.#left > 0) return nothing;
    if (this.#awaited === 'chunk') this.#await('chunk-end');
    else this.#end();
    return bytes.subarray(part.length);
  }

  /** @param {Buffer} head */
  #startBody(head) {
    const text = head.toString('latin1').toLowerCase();
    this.#reply?.head(Number(text.slice(9, 12)));
    const length = /\r\ncontent-length: *(\d+)/.exec(text);
    if (text.includes('\r\ntransfer-encoding: chunked')) this.#await('chunk-size');
    else if (!length || length[1] === '0') this.#end();
    else this.#await('body', Number(length[1]));
  }

  /** @param {Buffer} line */
  #startChunk(line) {
    const size = Number.parseInt(line.toString('latin1'), 16);
    if (size === 0) this.#await('trailer');
    else this.#await('chunk', size);
  }

  /** @param {Awaited} awaited @param {number} [left] */
  #await(awaited, left = 0) {
    this.#awaited = awaited;
    this.#left = left;
  }

  #end() {
    this.#await('head');
    const reply = this.#reply;
    this.#reply = this.#later.shift();
    reply?.end();
  }

  /** @param {Error} error */
  #fail(error) {
    const replies = this.#reply ? [this.#reply, ...this.#later] : [];
    this.#reply = undefined;
    this.#later = [];
    for (const reply of replies) reply.fail(error);
  }
}
