import { describe, expect, it } from 'vitest';
import { type Random, seeded } from '../../../../tests/support/random.ts';
import { ResponseReader } from './response-reader.ts';

const maxBytes = 1000;
const broken = 'net/http: HTTP/1.x transport connection broken: ';

interface Outcome {
  readonly status?: number;
  readonly body?: string;
  readonly keepsAlive?: boolean;
  readonly error?: string;
}

/** Reads one response from pieces, and then the end of the connection. */
function readFrom(pieces: readonly Buffer[]): Outcome {
  const reader = new ResponseReader(maxBytes);
  try {
    for (const [i, piece] of pieces.entries()) {
      const response = reader.push(piece);
      if (!response) continue;
      const keepsAlive = reader.keepsAlive && i === pieces.length - 1;
      return { status: response.status, body: response.body.toString('latin1'), keepsAlive };
    }
    const response = reader.end();
    return response ? { status: response.status, body: response.body.toString('latin1'), keepsAlive: false } : {};
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const bytewise = (text: string) => [...latin1(text)].map((byte) => Buffer.of(byte));

const head = (fields: string, line = 'HTTP/1.1 200 OK') => `${line}\r\n${fields}\r\n`;

describe('a response', () => {
  it.each<[string, string, Outcome]>([
    ['a length', `${head('Content-Length: 2\r\n')}ok`, { status: 200, body: 'ok', keepsAlive: true }],
    ['no body', head('Content-Length: 0\r\n'), { status: 200, body: '', keepsAlive: true }],
    ['204', head('', 'HTTP/1.1 204 No Content'), { status: 204, body: '', keepsAlive: true }],
    ['304 with a length', head('Content-Length: 5\r\n', 'HTTP/1.1 304'), { status: 304, body: '', keepsAlive: true }],
    [
      'chunks',
      `${head('Transfer-Encoding: chunked\r\n')}1\r\no\r\n1;x=y\r\nk\r\n0\r\nT: u\r\n\r\n`,
      { status: 200, body: 'ok', keepsAlive: true },
    ],
    ['a body until the end', `${head('')}ok`, { status: 200, body: 'ok', keepsAlive: false }],
    [
      'Connection: close',
      `${head('Content-Length: 2\r\nConnection: x, Close\r\n')}ok`,
      { status: 200, body: 'ok', keepsAlive: false },
    ],
    ['HTTP/1.0', `${head('Content-Length: 2\r\n', 'HTTP/1.0 200 OK')}ok`, { status: 200, body: 'ok', keepsAlive: false }],
    [
      'HTTP/1.0 kept alive',
      `${head('Content-Length: 2\r\nConnection: keep-alive\r\n', 'HTTP/1.0 200 OK')}ok`,
      { status: 200, body: 'ok', keepsAlive: true },
    ],
    [
      'interim responses',
      head('', 'HTTP/1.1 100 Continue') + head('A: b\r\n', 'HTTP/1.1 103') + head('Content-Length: 0\r\n'),
      { status: 200, body: '', keepsAlive: true },
    ],
    ['an upgrade', head('', 'HTTP/1.1 101 Switching Protocols'), { status: 101, body: '', keepsAlive: false }],
    ['no reason phrase', head('Content-Length: 0\r\n', 'HTTP/1.1 500 '), { status: 500, body: '', keepsAlive: true }],
    ['an incomplete head', 'HTTP/1.1 200 OK\r\nA: b\r\n', {}],
    ['an incomplete body', `${head('Content-Length: 3\r\n')}ok`, {}],
    ['incomplete chunks', `${head('Transfer-Encoding: chunked\r\n')}2\r\nok\r\n`, {}],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n', { error: `${broken}malformed HTTP response "SSH-2.0-OpenSSH"` }],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', { error: `${broken}malformed HTTP response "HTTP/2 200"` }],
    ['no status', head('', 'HTTP/1.1 OK'), { error: `${broken}malformed HTTP response "HTTP/1.1 OK"` }],
    ['a status of four digits', head('', 'HTTP/1.1 2000 OK'), { error: `${broken}malformed HTTP response "HTTP/1.1 2000 OK"` }],
    ['two lengths', head('Content-Length: 2\r\nContent-Length: 2\r\n'), { error: `${broken}malformed HTTP response` }],
    ['a negative length', head('Content-Length: -2\r\n'), { error: `${broken}malformed HTTP response` }],
    [
      'length and chunks',
      head('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'),
      { error: `${broken}unexpected Transfer-Encoding` },
    ],
    [
      'chunks in HTTP/1.0',
      head('Transfer-Encoding: chunked\r\n', 'HTTP/1.0 200 OK'),
      { error: `${broken}unexpected Transfer-Encoding` },
    ],
    [
      'another coding',
      head('Transfer-Encoding: gzip, chunked\r\n'),
      { error: `${broken}unsupported transfer encoding: "gzip, chunked"` },
    ],
    ['a folded line', head('A: b\r\n c\r\n'), { error: `${broken}malformed HTTP response` }],
    ['a bare line feed', head('A: b\nC: d\r\n'), { error: `${broken}malformed HTTP response` }],
    ['a space before the colon', head('A : b\r\n'), { error: `${broken}malformed HTTP response` }],
    ['an invalid chunk size', `${head('Transfer-Encoding: chunked\r\n')}x\r\n`, { error: `${broken}malformed HTTP response` }],
    ['endless interim responses', head('', 'HTTP/1.1 100').repeat(6), { error: `${broken}too many 1xx informational responses` }],
    ['a long head', head(`A: ${'b'.repeat(1 << 16)}\r\n`), { error: `${broken}the header of the response is too large` }],
    ['a length beyond the limit', head('Content-Length: 1001\r\n'), { error: 'the response is larger than 1000 bytes' }],
    [
      'chunks beyond the limit',
      `${head('Transfer-Encoding: chunked\r\n')}3e8\r\n${'x'.repeat(1000)}\r\n1\r\nx`,
      { error: 'the response is larger than 1000 bytes' },
    ],
    ['an endless body', head('') + 'x'.repeat(1001), { error: 'the response is larger than 1000 bytes' }],
  ])('with %s is read whole and byte by byte', (_, text, expected) => {
    expect(readFrom([latin1(text)])).toEqual(expected);
    expect(readFrom(bytewise(text))).toEqual(expected);
  });

  it('that is followed by other bytes ends the use of the connection', () => {
    expect(readFrom([latin1(`${head('Content-Length: 2\r\n')}okHTTP/1.1 200 OK\r\n`)])).toEqual({
      status: 200,
      body: 'ok',
      keepsAlive: false,
    });
  });

  it('is read after others on the same connection', () => {
    const reader = new ResponseReader(maxBytes);
    for (const body of ['one', 'two', 'three'])
      expect(String(reader.push(latin1(head(`Content-Length: ${body.length}\r\n`) + body))?.body)).toBe(body);
    expect(reader.push(latin1(head('Content-Length: 3\r\nX: y\r\n')))).toBeUndefined();
    expect(reader.push(latin1('end'))?.headers.get('x')).toBe('y');
  });
});

const parts: readonly string[] = [
  `${head('Content-Length: 5\r\n')}hello`,
  `${head('Transfer-Encoding: chunked\r\n')}5;x=y\r\nhello\r\n1\r\n!\r\n0\r\n\r\n`,
  head('', 'HTTP/1.1 100 Continue'),
  `${head('Connection: close\r\n')}rest`,
  '\r\n',
  '\n',
  '\0',
  ' ',
  ':',
  'ffff\r\n',
  'Content-Length: 7\r\n',
  'HTTP/1.1',
];

const pick = (random: Random): string => parts[random(parts.length)] as string;

function conversation(random: Random): string {
  let text = pick(random) + pick(random);
  for (let i = random(3); i > 0; i--) {
    const at = random(text.length + 1);
    text = text.slice(0, at) + (random(2) === 0 ? pick(random) : '') + text.slice(at + random(4));
  }
  return text;
}

it('parsing does not depend on how the input is split', () => {
  const random = seeded(Number(process.env.FUZZ_SEED ?? 1));
  let failures = 0;
  for (let i = 0; i < Number(process.env.FUZZ_TRIALS ?? 4000); i++) {
    const text = conversation(random);
    const { status, body, error } = readFrom([latin1(text)]);
    const split = readFrom(bytewise(text));
    expect([split.status, split.body, split.error === undefined], JSON.stringify(text)).toEqual([
      status,
      body,
      error === undefined,
    ]);
    if (error !== undefined) failures++;
  }
  expect(failures).toBeGreaterThan(100);
});
