import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { Answer, Sink } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Listening, serveHttp1, textAnswer } from './testing/conversation.ts';

let listening: Listening | undefined;

async function start(handle: (exchange: Exchange) => Answer | Promise<Answer>): Promise<Listening> {
  listening = await serveHttp1(handle);
  return listening;
}

afterEach(async () => {
  await listening?.stop();
});

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const bytes = (body: Extract<Answer, { kind: 'bytes' }>['body'], status = 200): Answer => ({
  kind: 'bytes',
  status,
  type: 'text/plain',
  body,
});
const ended = (received: string) => received.endsWith('0\r\n\r\n');

/** Decodes a chunked body. */
function unchunked(body: string): string {
  let rest = body;
  let whole = '';
  for (;;) {
    const size = /^([0-9a-f]+)\r\n/.exec(rest);
    if (!size) throw new Error(`no chunk: ${JSON.stringify(rest.slice(0, 100))}`);
    const from = size[0].length;
    const length = Number.parseInt(size[1] as string, 16);
    expect(rest.slice(from + length, from + length + 2)).toBe('\r\n');
    if (length === 0) return whole;
    whole += rest.slice(from, from + length);
    rest = rest.slice(from + length + 2);
  }
}

const bodyOf = (received: string): string => received.slice(received.indexOf('\r\n\r\n') + 4);

describe('an answer', () => {
  it('has the headers of the handler in order, then those of the connection', async () => {
    const headers = { 'audit-id': 'x', warning: ['1', '2'], connection: 'close', 'content-length': '99' };
    const { open } = await start(() => ({ kind: 'bytes', status: 200, type: 'text/plain', body: 'é<>', headers }));
    const client = await open();
    await client.send(get('/')).bodies(1);
    expect(client.received.replace(/Date: .*/, 'Date: now')).toBe(
      'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\naudit-id: x\r\nwarning: 1\r\nwarning: 2\r\ncontent-length: 4\r\n' +
        'Date: now\r\nConnection: keep-alive\r\nKeep-Alive: timeout=90\r\n\r\n\xc3\xa9<>',
    );
    expect(Date.parse(/Date: (.*)/.exec(client.received)?.[1] ?? '')).toBeGreaterThan(Date.now() - 10_000);
  });

  it('cannot be split by a header value (header injection)', async () => {
    const headers = { a: 'b\r\nSet-Cookie: c\r\n\r\n<hidden>', d: '→\0' };
    const { open } = await start(() => ({ kind: 'bytes', status: 200, type: 'text/plain', body: '<x>', headers }));
    const client = await open();
    await client.send(get('/', 'Connection: close\r\n')).closed();
    expect(client.received).toContain('\r\na: b  Set-Cookie: c    <hidden>\r\n');
    expect(client.received).toContain(`\r\nd: ${Buffer.from('→').toString('latin1')} \r\n`);
  });

  it.each([
    ['HEAD', 200, 'content-length: 3\r\n'],
    ['GET', 304, ''],
    ['GET', 204, ''],
  ])('to %s with %i has no body', async (method, status, length) => {
    const client = await (await start(() => textAnswer('abc', status))).open();
    client.send(`${method} / HTTP/1.1\r\nHost: a\r\n\r\n${get('/', 'Connection: close\r\n')}`);
    const [first = '', rest = ''] = (await client.closed()).split(/(?<=\r\n\r\n)(?=HTTP)/);
    expect(first).toMatch(/\r\n\r\n$/);
    expect(/content-length: \d+\r\n/.exec(first)?.[0] ?? '').toBe(length);
    expect(rest).toContain('HTTP/1.1 ');
  });

  it.each([0, 1, 16_000, 16_384, 32_000, 33_000, 100_000, 3_000_000])('of %i bytes arrives whole', async (size) => {
    const body = Buffer.alloc(size, 'abcdefg');
    const client = await (await start(() => bytes(body))).open();
    const received = await client.send(get('/', 'Connection: close\r\n')).closed();
    expect(received).toContain(`content-length: ${size}\r\n`);
    expect(bodyOf(received) === body.toString()).toBe(true);
  });

  it('that fails closes its connection, and the error is reported', async () => {
    const { open, errors } = await start(({ url }) => {
      if (url === '/later') return Promise.reject(new Error('later'));
      throw new Error('at once');
    });
    expect(await (await open()).send(get('/')).closed()).toBe('');
    expect(await (await open()).send(get('/later')).closed()).toBe('');
    expect(errors.map(String)).toEqual(['Error: at once', 'Error: later']);
  });

  it('from an iterable is pulled as the client reads', async () => {
    let pulled = 0;
    let returned = 0;
    const piece = Buffer.alloc(100_000, 'x');
    function* pieces() {
      try {
        for (; pulled < 300; pulled++) yield piece;
      } finally {
        returned++;
      }
    }
    const client = await (await start(() => bytes(pieces()))).open();
    client.socket.pause();
    client.send(get('/'));
    await later(300);
    expect(pulled).toBeGreaterThan(0);
    expect(pulled).toBeLessThan(200);
    client.socket.resume();
    expect(unchunked(bodyOf(await client.until(ended)))).toHaveLength(300 * piece.length);
    expect(returned).toBe(1);
  });

  it('from an iterable with empty chunks is one body', async () => {
    const pieces = ['a', '', 'b'.repeat(40_000), ''].map((each) => Buffer.from(each));
    const { open } = await start(({ url }) => bytes(url === '/stream' ? Readable.from(pieces) : pieces));
    for (const path of ['/', '/stream']) {
      const client = await open();
      expect(unchunked(bodyOf(await client.send(get(path)).until(ended)))).toBe(`a${'b'.repeat(40_000)}`);
      const old = await open();
      const received = await old.send(`GET ${path} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`).closed();
      expect(received).not.toContain('Transfer-Encoding');
      expect(bodyOf(received)).toBe(`a${'b'.repeat(40_000)}`);
    }
  });

  it('from an iterable that throws is incomplete for the client', async () => {
    function* pieces() {
      yield Buffer.from('<a>');
      throw new Error('no more');
    }
    const failing = () =>
      new Readable({
        read() {
          this.push('<a>');
          this.destroy(new Error('no more'));
        },
      });
    const { open } = await start(({ url }) => bytes(url === '/stream' ? failing() : pieces()));
    for (const path of ['/', '/stream']) expect(await (await open()).send(get(path)).closed()).not.toContain('0\r\n\r\n');
  });

  it('is cancelled when the client disconnects', async () => {
    const left: string[] = [];
    function* endless() {
      try {
        for (;;) yield Buffer.alloc(100_000);
      } finally {
        left.push('pieces');
      }
    }
    const stream = () =>
      new Readable({
        read() {
          this.push(Buffer.alloc(100_000));
        },
        destroy(error, done) {
          left.push('stream');
          done(error);
        },
      });
    const { open } = await start((exchange) => {
      exchange.request = { cancel: () => left.push('aborted') };
      exchange.onClose(() => left.push('closed'));
      return bytes(exchange.url === '/stream' ? stream() : endless());
    });
    for (const path of ['/', '/stream']) {
      const client = await open();
      await client.send(get(path)).until((received) => received.length > 0);
      client.socket.destroy();
    }
    const expected = ['aborted', 'aborted', 'closed', 'closed', 'pieces', 'stream'];
    await expect.poll(() => [...left].sort()).toEqual(expected);
  });

  it('that is large closes the exchange when it is flushed, without cancelling the request', async () => {
    const told: string[] = [];
    const { open } = await start((exchange) => {
      exchange.request = { cancel: () => told.push('aborted') };
      exchange.onClose(() => told.push('closed'));
      return bytes(Buffer.alloc(30 << 20));
    });
    const client = await open();
    client.socket.pause();
    client.send(get('/'));
    await later(200);
    expect(told).toEqual([]);
    client.socket.resume();
    await expect.poll(() => told).toEqual(['closed']);
  });
});

describe('a stream', () => {
  const streams: { sink: Sink; closed: boolean }[] = [];

  const stream = (): Answer => ({
    kind: 'stream',
    status: 200,
    type: 'application/json',
    start(sink) {
      const entry = { sink, closed: false };
      sink.onClose(() => {
        entry.closed = true;
      });
      streams.push(entry);
    },
  });

  const next = async () => {
    await expect.poll(() => streams.length).toBeGreaterThan(0);
    return streams.shift() as (typeof streams)[number];
  };

  it('has a chunk for each write, and the connection stays open', async () => {
    const client = await (await start(({ url }) => (url === '/w' ? stream() : textAnswer('<b>')))).open();
    await client.send(get('/w')).until((received) => received.includes('\r\n\r\n'));
    const { sink } = await next();
    const frame = Buffer.from('{"a":1}\n');
    sink.write([frame], frame);
    sink.write([], Buffer.alloc(0));
    await client.until((received) => received.endsWith('8\r\n{"a":1}\n\r\n'));
    sink.write([frame, frame], Buffer.concat([frame, frame]));
    sink.end();
    sink.write([frame], frame);
    expect(unchunked(bodyOf(await client.until(ended)))).toBe('{"a":1}\n'.repeat(3));
    expect(await client.send(get('/b')).bodies(1)).toEqual(['<b>']);
  });

  it('with the same bytes for many clients ends separately for each', async () => {
    const { open } = await start(stream);
    const clients = await Promise.all(Array.from({ length: 20 }, () => open()));
    for (const client of clients) await client.send(get('/')).until((received) => received.includes('\r\n\r\n'));
    const all = streams.splice(0);
    expect(all).toHaveLength(20);
    for (const part of ['first', 'second', 'third']) {
      const joined = Buffer.from(`${part}\n`);
      for (const { sink } of all) sink.write([joined], joined);
    }
    for (const { sink } of all) sink.end();
    for (const client of clients) expect(unchunked(bodyOf(await client.until(ended)))).toBe('first\nsecond\nthird\n');
  });

  it('reports buffered bytes and drains', async () => {
    const client = await (await start(stream)).open();
    await client.send(get('/')).until((received) => received.includes('\r\n\r\n'));
    client.socket.pause();
    const { sink } = await next();
    const frame = Buffer.alloc(16 << 20, 'x');
    sink.write([frame], frame);
    await later(50);
    expect(sink.buffered).toBeGreaterThan(1 << 20);
    let drained = false;
    sink.onDrain(() => {
      drained = true;
    });
    await later(50);
    expect(drained).toBe(false);
    client.socket.resume();
    await expect.poll(() => drained).toBe(true);
    expect(sink.buffered).toBe(0);
  });

  it.each([
    ['the client closes the connection', (client: { socket: { destroy(): void } }) => client.socket.destroy()],
    ['the client half-closes', (client: { socket: { end(): void } }) => client.socket.end()],
    ['it is aborted', (_: unknown, sink: Sink) => sink.abort()],
  ])('is closed when %s', async (_, leave) => {
    const client = await (await start(stream)).open();
    await client.send(get('/')).until((received) => received.includes('\r\n\r\n'));
    const entry = await next();
    leave(client as never, entry.sink);
    await expect.poll(() => entry.closed).toBe(true);
    await client.closed();
  });
});

describe('a connection that is taken over', () => {
  const upgrade = (behind = '') => `${get('/', 'Connection: Upgrade\r\nUpgrade: Echo\r\n')}${behind}`;

  it('gets the bytes that were sent after the request', async () => {
    const { open, http1 } = await start(async (exchange) => {
      await later(20);
      const { socket, head } = exchange.takeOver?.() ?? expect.fail();
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n\r\n<${head.toString()}>`);
      socket.on('data', (chunk: Buffer) => socket.write(`<${chunk}>`));
      return { kind: 'taken-over', status: 101 };
    });
    const client = await open();
    expect(await client.send(upgrade('first')).bodies(1)).toEqual(['<first>']);
    http1.close();
    expect(await client.send('GET / HTTP/1.1\r\n\r\n').bodies(2)).toEqual(['<first>', '<GET / HTTP/1.1\r\n\r\n>']);
  });

  it('keeps bytes that arrive before a listener is added', async () => {
    const { open } = await start((exchange) => {
      const { socket, head } = exchange.takeOver?.() ?? expect.fail();
      let received = head.toString();
      setTimeout(() => {
        socket.on('data', (chunk: Buffer) => {
          received += chunk;
          if (received.endsWith('.')) socket.end(`<${received}>`);
        });
      }, 100);
      return { kind: 'taken-over', status: 101 };
    });
    const client = await open();
    client.send(upgrade('a'));
    for (const part of ['b', 'c', '.']) {
      await later(10);
      client.send(part);
    }
    expect(await client.closed()).toBe('<abc.>');
  });

  it('needs an upgrade offer; an offer that is not accepted is answered, and the connection closed', async () => {
    const { open } = await start(({ takeOver }) => textAnswer(`<${takeOver ? 'offered' : 'not offered'}>`));
    const client = await open();
    const plain = ['Upgrade: Echo\r\n', 'Connection: Upgrade\r\n', ''].map((fields) => get('/', fields)).join('');
    expect(await client.send(plain).bodies(3)).toEqual(Array(3).fill('<not offered>'));
    expect(await client.send(upgrade()).closed()).toMatch(/<offered>$/);
  });
});
