import tls from 'node:tls';
import { Http1Connection } from './http1.mjs';
import { Http2Connection } from './http2.mjs';

/**
 * A server as plain data, because it crosses process boundaries.
 * With a token no client certificate is sent.
 * @typedef {{ host: string, port: number, ca: string, cert: string, key: string, token?: string }} Endpoint
 *
 * @typedef {'h1' | 'h2'} Protocol
 *
 * The constant part of the requests of a row.
 * @typedef {{ method: string, accept?: string, contentType?: string, headers?: Record<string, string> }} RequestShape
 *
 * The same, encoded for one connection.
 * @typedef {{ beforePath: Buffer, afterPath: Buffer }} EncodedShape
 *
 * Receives one response; the parts of its body may be retained.
 * @typedef {{ head(status: number): void, data(part: Buffer): void, end(): void, fail(error: Error): void }} Reply
 *
 * @typedef {object} Connection
 * @property {(shape: RequestShape) => EncodedShape} encodeShape
 * @property {(shape: EncodedShape, path: string, body: Buffer | undefined, reply: Reply) => void} send  copies the body
 * @property {() => void} close  open replies are not notified
 */

const handshakesAtOnce = 16;
/** @type {Map<string, tls.SecureContext>} */
const contexts = new Map();

/** @param {Endpoint} endpoint */
function host({ host: name, port }) {
  return `${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** @param {Endpoint} endpoint */
function contextFor(endpoint) {
  const { ca, cert, key, token } = endpoint;
  const name = token === undefined ? cert : `${host(endpoint)} without a certificate`;
  const known = contexts.get(name);
  if (known) return known;
  const made = tls.createSecureContext(token === undefined ? { ca, cert, key } : { ca });
  contexts.set(name, made);
  return made;
}

/** @param {Endpoint} endpoint @param {string} alpn @returns {Promise<tls.TLSSocket>} */
function connectTls(endpoint, alpn) {
  const { host, port } = endpoint;
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host, port, secureContext: contextFor(endpoint), ALPNProtocols: [alpn] });
    socket.setTimeout(10_000, () => socket.destroy(new Error('the TLS handshake took over 10 s')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.setTimeout(0);
      socket.setNoDelay(true);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** @param {Endpoint} endpoint @param {Protocol} protocol @returns {Promise<Connection>} */
async function openConnection(endpoint, protocol) {
  const alpn = protocol === 'h2' ? 'h2' : 'http/1.1';
  const socket = await connectTls(endpoint, alpn);
  if (socket.alpnProtocol !== alpn) {
    socket.destroy();
    throw new Error(`the server does not speak ${alpn}`);
  }
  return new (protocol === 'h2' ? Http2Connection : Http1Connection)(socket, host(endpoint), endpoint.token);
}

/**
 * A few handshakes at a time: a thousand at once would overflow the server's backlog.
 * @param {Endpoint} endpoint @param {Protocol} protocol @param {number} count
 */
export async function openConnections(endpoint, protocol, count) {
  /** @type {Connection[]} */
  const opened = [];
  while (opened.length < count) {
    const batch = Math.min(handshakesAtOnce, count - opened.length);
    opened.push(...(await Promise.all(Array.from({ length: batch }, () => openConnection(endpoint, protocol)))));
  }
  return opened;
}
