import { describe, expect, it } from 'vitest';
import { bytesOf, cut, readAll } from './testing/reading.ts';

const host = 'Host: localhost\r\n';
const get = (fields = '', line = 'GET / HTTP/1.1') => `${line}\r\n${host}${fields}\r\n`;
const post = (fields: string, body: string) => `POST /p HTTP/1.1\r\n${host}${fields}\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);
/** What somebody hides behind a body, hoping that it is taken for a request of its own. */
const hidden = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';

const accepted: readonly (readonly [string, string, object])[] = [
  ['a line and a host', get(), { line: 'GET / 1.1', headers: { host: 'localhost' }, body: '' }],
  ['a host that is empty', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', { headers: { host: '' } }],
  ['no host in HTTP/1.0', 'GET / HTTP/1.0\r\n\r\n', { line: 'GET / 1.0', headers: {} }],
  ['a later HTTP/1', get('', 'GET / HTTP/1.2'), { line: 'GET / 1.2' }],
  ['an empty line before it', `\r\n${get()}`, { line: 'GET / 1.1' }],
  ['a path with a query', get('', 'GET /a?b=c&d=%20 HTTP/1.1'), { line: 'GET /a?b=c&d=%20 1.1' }],
  ['a whole URL', get('', 'GET https://localhost:6443/a?b HTTP/1.1'), { line: 'GET /a?b 1.1' }],
  ['a whole URL in capitals', get('', 'GET HTTPS://LOCALHOST/a HTTP/1.1'), { line: 'GET /a 1.1' }],
  ['a method that nobody knows', get('', 'M-SEARCH / HTTP/1.1'), { line: 'M-SEARCH / 1.1' }],
  ['OPTIONS of everything', get('', 'OPTIONS * HTTP/1.1'), { line: 'OPTIONS * 1.1' }],
  ['blanks around a value', get('A: \t b c\t \r\n'), { headers: { a: 'b c' } }],
  ['no blank before a value', get('A:b\r\n'), { headers: { a: 'b' } }],
  ['an empty value', get('A:\r\n'), { headers: { a: '' } }],
  ['a colon in a value', get('A: b:c\r\n'), { headers: { a: 'b:c' } }],
  ['bytes beyond ASCII in a value', get('A: \xe9\xff\r\n'), { headers: { a: '\xe9\xff' } }],
  ['names that mean something to JavaScript', get('__proto__: x\r\nconstructor: y\r\n'), { headers: { constructor: 'y' } }],
  ['a header in two lines, of which the first counts', get('A: b\r\nA: c\r\n'), { headers: { a: 'b' } }],
  ['a list in two lines', get('Upgrade: b\r\nUpgrade: c\r\n'), { headers: { upgrade: 'b, c' } }],
  [
    'two content types, of which the first counts',
    get('Content-Type: a\r\ncontent-type: b\r\n'),
    { headers: { 'content-type': 'a' } },
  ],
  ['a body', post('Content-Length: 3\r\n', 'abc'), { body: 'abc' }],
  ['a body of nothing', post('Content-Length: 0\r\n', ''), { body: '' }],
  ['a length with zeros before it', post('Content-Length: 0003\r\n', 'abc'), { body: 'abc' }],
  ['a body that looks like a request', post(`Content-Length: ${hidden.length}\r\n`, hidden), { body: hidden }],
  ['a body of a GET', get('Content-Length: 2\r\n').concat('ab'), { line: 'GET / 1.1', body: 'ab' }],
  ['chunks', chunked('3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n'), { body: 'abc0123456789' }],
  ['no chunk but the last', chunked('0\r\n\r\n'), { body: '' }],
  ['chunks with extensions', chunked('3;a=b;c="d;e"\r\nabc\r\n3 ;f\r\ndef\r\n0;last\r\n\r\n'), { body: 'abcdef' }],
  [
    'chunks with trailers',
    chunked('3\r\nabc\r\n0\r\nA: b\r\nHost: other\r\n\r\n'),
    { headers: { host: 'localhost' }, body: 'abc' },
  ],
  ['a chunk that looks like the end', chunked('5\r\n0\r\n\r\n\r\n0\r\n\r\n'), { body: '0\r\n\r\n' }],
  ['chunks in capitals', post('TRANSFER-ENCODING: Chunked\r\n', '1\r\na\r\n0\r\n\r\n'), { body: 'a' }],
];

const refused: readonly (readonly [string, string, number])[] = [
  ['no version', get('', 'GET /'), 400],
  ['a version that is none', get('', 'GET / HTTP/1.1x'), 400],
  ['a version in small letters', get('', 'GET / http/1.1'), 400],
  ['another version', get('', 'GET / HTTP/2.0'), 505],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no method', get('', ' / HTTP/1.1'), 400],
  ['a method that is no word', get('', 'G(T / HTTP/1.1'), 400],
  ['no target', get('', 'GET  HTTP/1.1'), 400],
  ['two spaces', get('', 'GET  / HTTP/1.1'), 400],
  ['a space in the target', get('', 'GET /a b HTTP/1.1'), 400],
  ['a tab in the target', get('', 'GET /a\tb HTTP/1.1'), 400],
  ['a tab for a space', get('', 'GET\t/ HTTP/1.1'), 400],
  ['a space behind the version', get('', 'GET / HTTP/1.1 '), 400],
  ['a NUL in the target', get('', 'GET /a\0 HTTP/1.1'), 400],
  ['bytes beyond ASCII in the target', get('', 'GET /\xff HTTP/1.1'), 400],
  ['a target without a slash', get('', 'GET a HTTP/1.1'), 400],
  ['everything, of what it is not for', get('', 'GET * HTTP/1.1'), 400],
  ['a hello of TLS', '\x16\x03\x01 hello\r\n\r\n', 400],
  ['a line feed before it', `\n${get()}`, 400],
  ['lines that end with a line feed', 'GET / HTTP/1.1\nHost: localhost\n\n', 400],
  ['one line that ends with a line feed', get('A: b\nC: d\r\n'), 400],
  ['a request line that ends with a line feed', `GET / HTTP/1.1\n${host}\r\n`, 400],
  ['a carriage return in a value', get('A: b\rc\r\n'), 400],
  ['a carriage return too many', get('A: b\r\r\n'), 400],
  ['a NUL in a value', get('A: b\0c\r\n'), 400],
  ['a control character in a value', get('A: b\x01c\r\n'), 400],
  ['a DEL in a value', get('A: b\x7fc\r\n'), 400],
  ['a space before the colon', get('A : b\r\n'), 400],
  ['a tab before the colon', get('A\t: b\r\n'), 400],
  ['no colon', get('A b\r\n'), 400],
  ['no name', get(': b\r\n'), 400],
  ['a name that is no word', get('A(: b\r\n'), 400],
  ['bytes beyond ASCII in a name', get('\xe9: b\r\n'), 400],
  ['a value that is folded', get('A: b\r\n c\r\n'), 400],
  ['a value that is folded with a tab', get('A: b\r\n\tc\r\n'), 400],
  ['a first line that is folded', `GET / HTTP/1.1\r\n ${host}\r\n`, 400],
  ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two hosts', get(host), 400],
  ['two hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${host}${host}\r\n`, 400],
  ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['a host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
  ['an empty length', post('Content-Length:\r\n', hidden), 400],
  ['a length that is no number', post('Content-Length: abc\r\n', hidden), 400],
  ['a negative length', post('Content-Length: -1\r\n', hidden), 400],
  ['a length with a sign', post('Content-Length: +3\r\n', `abc${hidden}`), 400],
  ['a length in hexadecimal', post('Content-Length: 0x3\r\n', `abc${hidden}`), 400],
  ['a length with an exponent', post('Content-Length: 3e0\r\n', `abc${hidden}`), 400],
  ['a length with a fraction', post('Content-Length: 3.0\r\n', `abc${hidden}`), 400],
  ['a length with a space in it', post('Content-Length: 3 3\r\n', `abc${hidden}`), 400],
  ['a length beyond counting', post('Content-Length: 9007199254740993\r\n', hidden), 400],
  ['a length beyond all counting', post(`Content-Length: ${'9'.repeat(400)}\r\n`, hidden), 400],
  ['two lengths', post('Content-Length: 3\r\nContent-Length: 4\r\n', `abcd${hidden}`), 400],
  ['the same length twice', post('Content-Length: 3\r\nContent-Length: 3\r\n', `abc${hidden}`), 400],
  ['a list of lengths', post('Content-Length: 3, 3\r\n', `abc${hidden}`), 400],
  ['a length and chunks', post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', `0\r\n\r\n${hidden}`), 400],
  ['a length of nothing and chunks', post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['chunks in HTTP/1.0', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
  ['chunks twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['chunks in a list', post('Transfer-Encoding: chunked,\r\n', `0\r\n\r\n${hidden}`), 501],
  ['chunks and nothing', post('Transfer-Encoding: identity, chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['compressed chunks', post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['chunks that are not last', post('Transfer-Encoding: chunked, gzip\r\n', `0\r\n\r\n${hidden}`), 501],
  ['a coding that is none', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['a coding in quotes', post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${hidden}`), 501],
  ['an empty coding', post('Transfer-Encoding:\r\n', `0\r\n\r\n${hidden}`), 501],
  ['a vertical tab before the coding', post('Transfer-Encoding:\x0bchunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['a folded coding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['a space before the colon of the coding', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['an expectation that nobody can meet', post('Expect: miracles\r\nContent-Length: 3\r\n', 'abc'), 417],
  ['a chunk without a size', chunked(`\r\n${hidden}`), 400],
  ['a chunk of no size', chunked(`zz\r\n${hidden}`), 400],
  ['a chunk of negative size', chunked(`-1\r\n${hidden}`), 400],
  ['a chunk size with a prefix', chunked(`0x1\r\na\r\n${hidden}`), 400],
  ['a chunk size with a space before it', chunked(` 1\r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk size with a space behind it', chunked(`1 \r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk size that ends with a line feed', chunked(`1\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk extension that ends with a line feed', chunked(`1;a\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a carriage return in a chunk extension', chunked(`1;a\rb\r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk size beyond counting', chunked(`fffffffffffffffff\r\n${hidden}`), 400],
  ['a chunk longer than its size', chunked(`1\r\nab\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk that ends with a line feed', chunked(`1\r\na\n0\r\n\r\n${hidden}`), 400],
  ['a trailer that is none', chunked(`0\r\nA b\r\n\r\n${hidden}`), 400],
  ['a trailer that is folded', chunked(`0\r\nA: b\r\n c\r\n\r\n${hidden}`), 400],
  ['a trailer that ends with a line feed', chunked(`0\r\nA: b\n\r\n${hidden}`), 400],
  ['an extension without end', chunked(`1;${'a'.repeat(5000)}\r\na\r\n0\r\n\r\n`), 400],
  ['more framing than body', chunked(`${`1;${'a'.repeat(1000)}\r\na\r\n`.repeat(40)}0\r\n\r\n`), 400],
  ['trailers without end', chunked(`0\r\n${`A: ${'b'.repeat(1000)}\r\n`.repeat(70)}\r\n`), 431],
  ['more than 1,000 headers', get('A: b\r\n'.repeat(1000)), 431],
  ['more than a mebibyte of headers', get(`A: ${'b'.repeat(1 << 20)}\r\n`), 431],
  ['more than a mebibyte that does not end', `GET /${'a'.repeat(1 << 20)}`, 431],
];

const whole = (text: string) => readAll([bytesOf(text)]);
/** Long ones in pieces that are not that small. */
const inBytes = (text: string) => readAll(cut(bytesOf(text), () => (text.length > 20_000 ? 1009 : 1)));

describe.each([
  ['in one piece', whole],
  ['byte by byte', inBytes],
])('%s', (_, read) => {
  it.each(accepted)('is read: %s', async (_title, text, expected) => {
    const next = 'GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { requests, refused } = await read(text + next);
    expect(refused).toBeUndefined();
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatchObject(expected);
    expect(requests[1]).toMatchObject({ line: 'GET /next 1.1', body: '' });
  });

  it.each(refused)('is refused, with all that follows: %s', async (_title, text, status) => {
    const reading = await read(text);
    expect(reading.requests).toEqual([]);
    expect([status, 400]).toContain(reading.refused);
  });
});

describe('a refusal', () => {
  it.each(refused)('says why: %s', async (_title, text, status) => {
    expect((await whole(text)).refused).toBe(status);
  });
});

describe('a header that is sent again', () => {
  it('is not mistaken for one that is nearly the same', async () => {
    const fields = ['A: b\r\n', 'A: c\r\n', 'A: b\r\n', '', 'A: b\r\nContent-Length: 0\r\n'];
    const { requests } = await whole(fields.map((each) => get(each)).join(''));
    expect(requests.map(({ headers }) => headers.a)).toEqual(['b', 'c', 'b', undefined, 'b']);
  });

  it('means what its version makes of it', async () => {
    const text = post('Transfer-Encoding: chunked\r\n', '0\r\n\r\n');
    const { requests, refused } = await whole(text + text.replace('HTTP/1.1', 'HTTP/1.0'));
    expect([requests.length, refused]).toEqual([1, 400]);
  });
});

describe('a header that grows byte by byte', () => {
  it('costs time in proportion to its length', async () => {
    const text = get(`A: ${'b'.repeat(400_000)}\r\n`);
    const began = performance.now();
    expect((await readAll(cut(bytesOf(text), () => 1))).requests).toHaveLength(1);
    // Copied or searched anew for each byte, it would take minutes.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
