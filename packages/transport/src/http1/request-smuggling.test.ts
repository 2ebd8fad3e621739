import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../../../../tests/support/certificates.ts';
import { type Listener, listen } from '../listener.ts';

/**
 * Request smuggling: a proxy in front and this server must never disagree about where a request ends. Each case is either rejected
 * with one response and a closed connection, or understood in exactly one way. The cases are those of RFC 9112 (11.2), of
 * HTTP request smuggling research (CL.TE, TE.CL, TE.TE, CL.0), and of published vulnerabilities of other servers.
 */
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
const chunkedBody = '0\r\n\r\n';
const post = (fields: string, body: string, line = 'POST /p HTTP/1.1') => `${line}\r\nHost: a\r\n${fields}\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);

/** The status of the response after which the connection is closed. */
const rejected: readonly (readonly [name: string, bytes: string, status: number])[] = [
  // Content-Length against Transfer-Encoding.
  ['CL.TE', post('Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\nG${smuggled}`), 400],
  [
    'TE.CL',
    post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`),
    400,
  ],
  ['CL.TE with Content-Length 0', post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', chunkedBody + smuggled), 400],
  [
    'Transfer-Encoding: identity with Content-Length',
    post('Transfer-Encoding: identity\r\nContent-Length: 3\r\n', `abc${smuggled}`),
    400,
  ],
  ['Transfer-Encoding in HTTP/1.0', post('Transfer-Encoding: chunked\r\n', chunkedBody + smuggled, 'POST /p HTTP/1.0'), 400],

  // TE.TE: an encoding that one of two parsers does not recognize.
  [
    'TE.TE: two headers, the last unknown',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n', chunkedBody + smuggled),
    501,
  ],
  [
    'TE.TE: two headers, the first unknown',
    post('Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n', chunkedBody + smuggled),
    501,
  ],
  ['TE.TE: chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: xchunked', post('Transfer-Encoding: xchunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: chunked in quotes', post('Transfer-Encoding: "chunked"\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: chunked with a parameter', post('Transfer-Encoding: chunked;q=1\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: empty list elements', post('Transfer-Encoding: ,chunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: identity, chunked', post('Transfer-Encoding: identity, chunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: chunked, identity', post('Transfer-Encoding: chunked, identity\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: empty', post('Transfer-Encoding:\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: space before the colon', post('Transfer-Encoding : chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: tab before the colon', post('Transfer-Encoding\t: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: space before the name', post(' Transfer-Encoding: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: obs-fold before the value', post('Transfer-Encoding:\r\n chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: folded into the header before', post('X: y\r\n Transfer-Encoding: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: behind a bare LF', post('X: y\nTransfer-Encoding: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: behind a bare CR', post('X: y\rTransfer-Encoding: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: vertical tab before the value', post('Transfer-Encoding:\x0bchunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: form feed behind the value', post('Transfer-Encoding: chunked\x0c\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: NUL in the value', post('Transfer-Encoding: chunked\0\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: NUL in the name', post('Transfer-Encoding\0: chunked\r\n', chunkedBody + smuggled), 400],
  ['TE.TE: no-break space before the value', post('Transfer-Encoding: \xa0chunked\r\n', chunkedBody + smuggled), 501],
  ['TE.TE: CR behind the value', post('Transfer-Encoding: chunked\r\r\n', chunkedBody + smuggled), 400],

  // Content-Length.
  ['CL.CL: two different', post('Content-Length: 3\r\nContent-Length: 4\r\n', `abcd${smuggled}`), 400],
  ['CL.CL: two equal', post('Content-Length: 3\r\nContent-Length: 3\r\n', `abc${smuggled}`), 400],
  ['CL.CL: a list', post('Content-Length: 3, 3\r\n', `abc${smuggled}`), 400],
  ['CL.CL: the second with a space before the colon', post('Content-Length: 3\r\nContent-Length : 0\r\n', `abc${smuggled}`), 400],
  ['CL: negative', post('Content-Length: -1\r\n', smuggled), 400],
  ['CL: with a plus sign', post('Content-Length: +3\r\n', `abc${smuggled}`), 400],
  ['CL: hexadecimal', post('Content-Length: 0x3\r\n', `abc${smuggled}`), 400],
  ['CL: with an exponent', post('Content-Length: 3e0\r\n', `abc${smuggled}`), 400],
  ['CL: a fraction', post('Content-Length: 3.0\r\n', `abc${smuggled}`), 400],
  ['CL: with an underscore', post('Content-Length: 1_0\r\n', `0123456789${smuggled}`), 400],
  ['CL: empty', post('Content-Length:\r\n', smuggled), 400],
  ['CL: space in the number', post('Content-Length: 1 3\r\n', `abc${smuggled}`), 400],
  ['CL: beyond 2^53', post('Content-Length: 9007199254740993\r\n', smuggled), 400],
  ['CL: beyond 2^64', post('Content-Length: 18446744073709551619\r\n', `abc${smuggled}`), 400],
  ['CL: folded', post('Content-Length:\r\n 3\r\n', `abc${smuggled}`), 400],
  ['CL: NUL behind the number', post('Content-Length: 3\0\r\n', `abc${smuggled}`), 400],

  // Chunked coding.
  ['chunk size beyond 2^64', chunked(`10000000000000003\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size of 13 digits', chunked(`0000000000003\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size with 0x', chunked(`0x3\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size with a sign', chunked(`+3\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size that is negative', chunked(`-3\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size with an underscore', chunked(`0_3\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size that is empty', chunked(`\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size after a space', chunked(` 3\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size before a space', chunked(`3 \r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size line with a bare LF', chunked(`3\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk size line with a bare CR', chunked(`3\rX\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk extension with a bare LF (TERM.EXT)', chunked(`3;a\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk extension with a bare CR', chunked(`3;a\rb\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk extension with NUL', chunked(`3;a\0\r\nabc\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk data longer than its size', chunked(`3\r\nabcX\r\n0\r\n\r\n${smuggled}`), 400],
  ['chunk data followed by a bare LF', chunked(`3\r\nabc\n0\r\n\r\n${smuggled}`), 400],
  ['chunk data followed by two bytes that are not CRLF', chunked(`3\r\nabcXX0\r\n\r\n${smuggled}`), 400],
  ['last chunk with a bare LF', chunked(`0\n\r\n${smuggled}`), 400],
  ['trailers that end with a bare LF', chunked(`0\r\nA: b\r\n\n${smuggled}`), 400],
  ['trailer that is folded', chunked(`0\r\nA: b\r\n c\r\n\r\n${smuggled}`), 400],
  ['trailer without a colon', chunked(`0\r\n${smuggled}`), 400],

  // Lines and header fields.
  ['bare LF as line ending', `GET /p HTTP/1.1\nHost: a\n\n${smuggled}`, 400],
  ['bare LF after the request line', `GET /p HTTP/1.1\nHost: a\r\n\r\n${smuggled}`, 400],
  ['bare LF as the empty line', `GET /p HTTP/1.1\r\nHost: a\r\n\n${smuggled}`, 400],
  ['bare CR as line ending', `GET /p HTTP/1.1\rHost: a\r\r\n\r\n${smuggled}`, 400],
  ['bare CR in a value', post('X: a\rb\r\n', smuggled), 400],
  ['NUL in a value', post('X: a\0b\r\n', smuggled), 400],
  ['obs-fold', post('X: a\r\n b\r\n', smuggled), 400],
  ['space before the first field', `GET /p HTTP/1.1\r\n Host: a\r\n\r\n${smuggled}`, 400],
  ['space before a colon', post('X : a\r\n', smuggled), 400],
  ['field without a colon', post('X\r\n', smuggled), 400],
  ['empty field name', post(': a\r\n', smuggled), 400],
  ['HTTP/0.9', `GET /p\r\n${smuggled}`, 400],
  ['two versions', `GET /p HTTP/1.1 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, 400],
  ['HTTP/2.0 in the request line', `GET /p HTTP/2.0\r\nHost: a\r\n\r\n${smuggled}`, 505],
  ['space in the target', `GET /p q HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, 400],
  ['tab between method and target', `GET\t/p HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, 400],
  ['NUL in the target', `GET /p\0 HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, 400],
  ['no Host', `GET /p HTTP/1.1\r\n\r\n${smuggled}`, 400],
  ['two Hosts', `GET /p HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n${smuggled}`, 400],
  ['two equal Hosts', `GET /p HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n${smuggled}`, 400],
  ['Host with a path', `GET /p HTTP/1.1\r\nHost: a/b\r\n\r\n${smuggled}`, 400],
  ['CONNECT', `CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n${smuggled}`, 405],
];

const get = 'GET /p ';
const next = 'GET /smuggled ';

/** Each request that the handler sees: method, URL and body. */
const understood: readonly (readonly [name: string, bytes: string, requests: readonly string[]])[] = [
  ['CL.0: a body that is a request', post(`Content-Length: ${smuggled.length}\r\n`, smuggled), [`POST /p ${smuggled}`]],
  [
    'a GET with a body that is a request',
    post(`Content-Length: ${smuggled.length}\r\n`, smuggled, 'GET /p HTTP/1.1'),
    [get + smuggled],
  ],
  ['a chunk that is a request', chunked(`${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`), [`POST /p ${smuggled}`]],
  ['a chunk that looks like the end', chunked('5\r\n0\r\n\r\n\r\n0\r\n\r\n'), ['POST /p 0\r\n\r\n']],
  ['Transfer-Encoding in capitals', post('TRANSFER-ENCODING: CHUNKED\r\n', `3\r\nabc\r\n${chunkedBody}`), ['POST /p abc']],
  [
    'Transfer-Encoding with a tab before the value',
    post('Transfer-Encoding:\tchunked\r\n', `3\r\nabc\r\n${chunkedBody}`),
    ['POST /p abc'],
  ],
  ['Transfer-Encoding under a similar name', post('Transfer_Encoding: chunked\r\nContent-Length: 3\r\n', 'abc'), ['POST /p abc']],
  ['Content-Length with leading zeros', post('Content-Length: 003\r\n', 'abc'), ['POST /p abc']],
  ['no framing: the following bytes are the next request', post('', smuggled), ['POST /p ', next]],
  ['chunk size with leading zeros', chunked(`0003\r\nabc\r\n${chunkedBody}`), ['POST /p abc']],
  ['chunk extensions', chunked(`3;a=b;c="d"\r\nabc\r\n0;e\r\n\r\n`), ['POST /p abc']],
  ['trailers do not become headers', chunked('0\r\nContent-Length: 5\r\nHost: b\r\nTransfer-Encoding: x\r\n\r\n'), ['POST /p ']],
  ['absolute form: the path counts', `GET https://b/p HTTP/1.1\r\nHost: a\r\n\r\n`, [get]],
  ['an empty line before the request', `\r\nGET /p HTTP/1.1\r\nHost: a\r\n\r\n`, [get]],
  ['pipelined requests', `GET /p HTTP/1.1\r\nHost: a\r\n\r\n${smuggled}`, [get, next]],
  ['Connection cannot drop framing', post('Connection: Content-Length\r\nContent-Length: 3\r\n', 'abc'), ['POST /p abc']],
  ['an upgrade that is not accepted', post('Connection: Upgrade\r\nUpgrade: h2c\r\n', '', 'GET /p HTTP/1.1'), [get]],
];

let listener: Listener;
const seen: string[] = [];
const sockets: TLSSocket[] = [];

beforeAll(async () => {
  const { pem, key } = certificate('localhost', { for: 'server', hosts: ['localhost'] });
  listener = await listen({
    host: '127.0.0.1',
    port: 0,
    tls: { cert: pem, key },
    maxStreamsPerConnection: 10,
    async handle(exchange) {
      const body = await exchange.body(1 << 20);
      seen.push(`${exchange.method} ${exchange.url} ${body.toString('latin1')}`);
      return { kind: 'bytes', status: 200, type: 'text/plain', body: 'ok' };
    },
  });
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  seen.length = 0;
});

afterAll(() => {
  listener.force();
  return listener.close();
});

describe.each([
  ['in one write', (bytes: Buffer) => [bytes]],
  ['byte by byte', (bytes: Buffer) => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))],
])('%s', (_, cut) => {
  it.each(rejected)('is rejected: %s', async (_name, bytes, status) => {
    const client = await open();
    for (const piece of cut(Buffer.from(bytes, 'latin1'))) client.socket.write(piece);
    await once(client.socket, 'close');
    expect(client.statuses()).toEqual([status]);
    expect(client.received.toLowerCase()).toContain('connection: close');
    expect(seen).toEqual([]);
  });

  it.each(understood)('is understood in one way: %s', async (_name, bytes, requests) => {
    const client = await open();
    const end = 'GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    for (const piece of cut(Buffer.from(bytes + end, 'latin1'))) client.socket.write(piece);
    await once(client.socket, 'close');
    const all = bytes.includes('Upgrade') ? requests : [...requests, 'GET /end '];
    expect(seen).toEqual(all);
    expect(client.statuses()).toEqual(all.map(() => 200));
  });
});

/** A client of HTTP/1.1. */
async function open() {
  const socket = connect({
    port: listener.address.port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  });
  sockets.push(socket);
  const client = {
    socket,
    received: '',
    statuses: () => [...client.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)),
  };
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    client.received += chunk.toString('latin1');
  });
  await once(socket, 'secureConnect');
  return client;
}
