import { afterEach, describe, expect, it } from 'vitest';
import type { Answer } from '../http/answer.ts';
import { BodyTooLarge, ClientGone } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Listening, serveHttp1, textAnswer } from './testing/conversation.ts';

let listening: Listening | undefined;

async function start(handle: (exchange: Exchange) => Answer | Promise<Answer>, headerTimeoutMs?: number): Promise<Listening> {
  listening = await serveHttp1(handle, headerTimeoutMs);
  return listening;
}

afterEach(async () => {
  await listening?.stop();
  expect(listening?.errors).toEqual([]);
});

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const post = (path: string, fields: string, body = '') => `POST ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n${body}`;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const echo = async (exchange: Exchange) => textAnswer(`<${exchange.url} ${await exchange.body(100)}>`);
const turnOf = (path: string) => (path.length > 2 ? 30 : 0);

describe('requests', () => {
  it('share a connection', async () => {
    const client = await (await start(echo)).open();
    expect(await client.send(get('/a')).bodies(1)).toEqual(['</a >']);
    expect(await client.send(post('/b', 'Content-Length: 3\r\n', 'xyz')).bodies(2)).toEqual(['</a >', '</b xyz>']);
    expect(client.received).toMatch(/Connection: keep-alive\r\nKeep-Alive: timeout=90\r\n\r\n/);
  });

  it('that are pipelined are answered in order', async () => {
    const seen: string[] = [];
    const slow = async (exchange: Exchange) => {
      seen.push(exchange.url);
      await later(turnOf(exchange.url));
      return echo(exchange);
    };
    const client = await (await start(slow)).open();
    const paths = ['/slow', '/b', '/slower', '/d'];
    client.send(paths.map((path) => post(path, 'Content-Length: 1\r\n', path.at(-1))).join(''));
    expect(await client.bodies(4)).toEqual(['</slow w>', '</b b>', '</slower r>', '</d d>']);
    expect(seen).toEqual(paths);
  });

  it('that are pipelined wait while the client does not read', async () => {
    let served = 0;
    const big = Buffer.alloc(1 << 20, 'x');
    const { open } = await start(() => {
      served++;
      return { kind: 'bytes', status: 200, type: 'text/plain', body: big };
    });
    const client = await open();
    client.socket.pause();
    client.send(get('/').repeat(500));
    await later(300);
    expect(served).toBeLessThan(50);
    client.socket.resume();
    await expect.poll(() => served, { timeout: 20_000 }).toBe(500);
  });

  it.each([
    ['Connection: close', get('/', 'Connection: close\r\n')],
    ['close in a list', get('/', 'Connection: Keep-Alive, Close\r\n')],
    ['HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n'],
  ])('with %s close the connection', async (_, request) => {
    const client = await (await start(echo)).open();
    client.send(request + get('/b'));
    const all = await client.closed();
    expect(all).toContain('Connection: close\r\n\r\n</ >');
    expect(all).not.toContain('/b');
  });

  it('of HTTP/1.0 with keep-alive keep the connection', async () => {
    const client = await (await start(echo)).open();
    const request = 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n';
    expect(await client.send(request).send(request).bodies(2)).toHaveLength(2);
  });
});

describe('a body', () => {
  const length = async (exchange: Exchange) => textAnswer(`<${(await exchange.body(1000)).length}>`);

  it('may arrive in any pieces', async () => {
    const client = await (await start(echo)).open();
    const request = post('/', 'Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: u\r\n\r\n');
    for (const byte of request) {
      client.send(byte);
      await new Promise(setImmediate);
    }
    expect(await client.send(get('/next')).bodies(2)).toEqual(['</ abcde>', '</next >']);
  });

  it.each([
    ['declared by Content-Length', 'Content-Length: 1001\r\n', ' '.repeat(1001)],
    ['found in chunks', 'Transfer-Encoding: chunked\r\n', `3e9\r\n${' '.repeat(1001)}\r\n0\r\n\r\n`],
  ])('that is too large, %s, is rejected, and the connection stays open', async (_, fields, body) => {
    const refuse = async (exchange: Exchange) => {
      const error = await length(exchange).catch((reason) => reason);
      return error instanceof BodyTooLarge ? textAnswer(`<too large: ${error.limit}>`, 413) : (error as Answer);
    };
    const client = await (await start(refuse)).open();
    client.send(post('/', fields, body)).send(get('/'));
    expect(await client.bodies(2)).toEqual(['<too large: 1000>', '<0>']);
  });

  it('that the handler does not read is discarded', async () => {
    const client = await (await start(({ url }) => textAnswer(`<${url}>`))).open();
    client.send(post('/a', 'Content-Length: 3000000\r\n'));
    expect(await client.bodies(1)).toEqual(['</a>']);
    for (let i = 0; i < 3; i++) client.send('x'.repeat(1_000_000));
    expect(await client.send(get('/b')).bodies(2)).toEqual(['</a>', '</b>']);
  });

  it('that is not read yet is held back by flow control', async () => {
    let want: () => void = () => {};
    const wanted = new Promise<void>((resolve) => {
      want = resolve;
    });
    const { open, sockets } = await start(async (exchange) => {
      await wanted;
      return textAnswer(`<${(await exchange.body(64 << 20)).length}>`);
    });
    const client = await open();
    const bytes = 32 << 20;
    client.send(post('/', `Content-Length: ${bytes}\r\n`)).socket.write(Buffer.alloc(bytes));
    await later(200);
    expect(sockets[0]?.bytesRead).toBeLessThan(1 << 20);
    want();
    expect(await client.bodies(1)).toEqual([`<${bytes}>`]);
  });

  it('that is complete before it is read does not pause the connection', async () => {
    const { open } = await start(async (exchange) => {
      await later(50);
      return textAnswer(`<${(await exchange.body(1 << 20)).length}>`);
    });
    const client = await open();
    const bytes = 300_000;
    client.send(post('/', `Content-Length: ${bytes}\r\n`, 'x'.repeat(bytes)));
    expect(await client.bodies(1)).toEqual([`<${bytes}>`]);
    expect(await client.send(get('/')).bodies(2)).toEqual([`<${bytes}>`, '<0>']);
  });

  it.each([
    ['Content-Length', 'Content-Length: 5\r\n', 'abc'],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '5\r\nabc'],
  ])('that is incomplete when the client closes is an error: %s', async (_, fields, body) => {
    const failures: unknown[] = [];
    let aborted = 0;
    const { open } = await start(async (exchange) => {
      exchange.request = { cancel: () => aborted++ };
      return textAnswer(`<${await exchange.body(100).catch((error) => failures.push(error))}>`);
    });
    const client = await open();
    client.send(post('/', fields, body));
    await later(30);
    client.socket.end();
    expect(await client.closed()).toBe('');
    expect(failures).toEqual([expect.any(ClientGone)]);
    expect(aborted).toBe(1);
  });

  it('with invalid chunks is rejected', async () => {
    const failures: unknown[] = [];
    const { open } = await start(async (exchange) => textAnswer(`<${await exchange.body(100).catch((e) => failures.push(e))}>`));
    const client = await open();
    client.send(post('/', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n'));
    await later(30);
    client.send(`1\r\nab\r\n${get('/hidden')}`);
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\n\r\n400 Bad Request$/);
    expect(failures).toEqual([expect.any(ClientGone)]);
  });
});

describe('Expect: 100-continue', () => {
  const request = (path: string) => post(path, 'Expect: 100-continue\r\nContent-Length: 3\r\n');
  const go = 'HTTP/1.1 100 Continue\r\n\r\n';

  it('is answered with 100 when the handler reads the body', async () => {
    const client = await (await start(echo)).open();
    expect(await client.send(request('/')).until((received) => received.length > 0)).toBe(go);
    expect(await client.send('abc').bodies(1)).toEqual(['</ abc>']);
    expect(await client.send(get('/b')).bodies(2)).toEqual(['</ abc>', '</b >']);
  });

  it('is not answered with 100 if the handler does not read the body, and the connection is closed', async () => {
    const client = await (await start(() => textAnswer('<no>', 403))).open();
    const all = await client.send(request('/')).closed();
    expect(all).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*Connection: close\r\n\r\n<no>$/);
  });

  it('is not answered with 100 if the body is too large', async () => {
    const { open } = await start(async (exchange) => textAnswer(await exchange.body(2).then(String, () => '<no>'), 413));
    const client = await open();
    expect(await client.send(request('/')).closed()).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is not answered with 100 if the body has arrived', async () => {
    const client = await (await start(echo)).open();
    expect(await client.send(`${request('/')}abc`).bodies(1)).toEqual(['</ abc>']);
    expect(client.received).not.toContain('100 Continue');
  });
});

describe('a slow client', () => {
  it.each(['', 'GET / HT', 'GET / HTTP/1.1\r\nHost: a\r\n'])('is disconnected in the middle of a header: %j', async (half) => {
    const client = await (await start(echo, 200)).open();
    expect(await client.send(half).closed()).toBe('');
  });

  it('is disconnected in the middle of the next header, but not while idle', async () => {
    const { open } = await start(echo, 200);
    const [idle, slow] = [await open(), await open()];
    await idle.send(get('/')).bodies(1);
    await slow.send(get('/')).bodies(1);
    slow.send('GET /b');
    expect(await slow.closed()).not.toContain('400');
    await idle.send(get('/b')).bodies(2);
  });
});

describe('close', () => {
  it('closes idle connections at once, others with their answer', async () => {
    let finish: (answer: Answer) => void = () => {};
    const answer = new Promise<Answer>((resolve) => {
      finish = resolve;
    });
    const { open, http1 } = await start(({ url }) => (url === '/slow' ? answer : textAnswer('<quick>')));
    const [silent, idle, half, busy] = [await open(), await open(), await open(), await open()];
    await idle.send(get('/')).bodies(1);
    await half.send(get('/')).bodies(1);
    half.send('GET /b');
    busy.send(get('/slow') + get('/never'));
    await later(50);
    http1.close();
    await Promise.all([silent.closed(), idle.closed(), half.closed()]);
    finish(textAnswer('<slow>'));
    const last = await busy.closed();
    expect(last).toContain('Connection: close\r\n\r\n<slow>');
    expect(last).not.toContain('quick');
  });
});
