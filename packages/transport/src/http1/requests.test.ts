import { describe, expect, it } from 'vitest';
import { cut, latin1, readAll } from './testing/reading.ts';

const host = 'Host: localhost\r\n';
const get = (fields = '', line = 'GET / HTTP/1.1') => `${line}\r\n${host}${fields}\r\n`;
const post = (fields: string, body: string) => `POST /p HTTP/1.1\r\n${host}${fields}\r\n${body}`;
const chunked = (body: string) => post('Transfer-Encoding: chunked\r\n', body);
/** Sent after a body, to be mistaken for a request of its own. */
const hidden = 'GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n';

const accepted: readonly (readonly [string, string, object])[] = [
  ['a line and a host', get(), { line: 'GET / 1.1', headers: { host: 'localhost' }, body: '' }],
  ['an empty Host', 'GET / HTTP/1.1\r\nHost:\r\n\r\n', { headers: { host: '' } }],
  ['HTTP/1.0 without Host', 'GET / HTTP/1.0\r\n\r\n', { line: 'GET / 1.0', headers: {} }],
  ['HTTP/1.2', get('', 'GET / HTTP/1.2'), { line: 'GET / 1.2' }],
  ['an empty line before it', `\r\n${get()}`, { line: 'GET / 1.1' }],
  ['a path with a query', get('', 'GET /a?b=c&d=%20 HTTP/1.1'), { line: 'GET /a?b=c&d=%20 1.1' }],
  ['absolute form', get('', 'GET https://localhost:6443/a?b HTTP/1.1'), { line: 'GET /a?b 1.1' }],
  ['absolute form in upper case', get('', 'GET HTTPS://LOCALHOST/a HTTP/1.1'), { line: 'GET /a 1.1' }],
  ['an unknown method', get('', 'M-SEARCH / HTTP/1.1'), { line: 'M-SEARCH / 1.1' }],
  ['OPTIONS *', get('', 'OPTIONS * HTTP/1.1'), { line: 'OPTIONS * 1.1' }],
  ['whitespace around a value', get('A: \t b c\t \r\n'), { headers: { a: 'b c' } }],
  ['no space before a value', get('A:b\r\n'), { headers: { a: 'b' } }],
  ['an empty value', get('A:\r\n'), { headers: { a: '' } }],
  ['a colon in a value', get('A: b:c\r\n'), { headers: { a: 'b:c' } }],
  ['obs-text in a value', get('A: \xe9\xff\r\n'), { headers: { a: '\xe9\xff' } }],
  ['names of JavaScript object members', get('__proto__: x\r\nconstructor: y\r\n'), { headers: { constructor: 'y' } }],
  ['a repeated field, of which the first counts', get('A: b\r\nA: c\r\n'), { headers: { a: 'b' } }],
  ['a list field in two lines', get('Upgrade: b\r\nUpgrade: c\r\n'), { headers: { upgrade: 'b, c' } }],
  [
    'two Content-Types, of which the first counts',
    get('Content-Type: a\r\ncontent-type: b\r\n'),
    { headers: { 'content-type': 'a' } },
  ],
  ['a body', post('Content-Length: 3\r\n', 'abc'), { body: 'abc' }],
  ['a body of length 0', post('Content-Length: 0\r\n', ''), { body: '' }],
  ['Content-Length with leading zeros', post('Content-Length: 0003\r\n', 'abc'), { body: 'abc' }],
  ['a body that looks like a request', post(`Content-Length: ${hidden.length}\r\n`, hidden), { body: hidden }],
  ['a body of a GET', get('Content-Length: 2\r\n').concat('ab'), { line: 'GET / 1.1', body: 'ab' }],
  ['chunks', chunked('3\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n'), { body: 'abc0123456789' }],
  ['only the last chunk', chunked('0\r\n\r\n'), { body: '' }],
  ['chunks with extensions', chunked('3;a=b;c="d;e"\r\nabc\r\n3 ;f\r\ndef\r\n0;last\r\n\r\n'), { body: 'abcdef' }],
  [
    'chunks with trailers',
    chunked('3\r\nabc\r\n0\r\nA: b\r\nHost: other\r\n\r\n'),
    { headers: { host: 'localhost' }, body: 'abc' },
  ],
  ['a chunk that looks like the end', chunked('5\r\n0\r\n\r\n\r\n0\r\n\r\n'), { body: '0\r\n\r\n' }],
  ['Transfer-Encoding in upper case', post('TRANSFER-ENCODING: Chunked\r\n', '1\r\na\r\n0\r\n\r\n'), { body: 'a' }],
];

const refused: readonly (readonly [string, string, number])[] = [
  ['no version', get('', 'GET /'), 400],
  ['an invalid version', get('', 'GET / HTTP/1.1x'), 400],
  ['a version in lower case', get('', 'GET / http/1.1'), 400],
  ['another version', get('', 'GET / HTTP/2.0'), 505],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['no method', get('', ' / HTTP/1.1'), 400],
  ['a method that is not a token', get('', 'G(T / HTTP/1.1'), 400],
  ['no target', get('', 'GET  HTTP/1.1'), 400],
  ['two spaces', get('', 'GET  / HTTP/1.1'), 400],
  ['a space in the target', get('', 'GET /a b HTTP/1.1'), 400],
  ['a tab in the target', get('', 'GET /a\tb HTTP/1.1'), 400],
  ['a tab for a space', get('', 'GET\t/ HTTP/1.1'), 400],
  ['a space after the version', get('', 'GET / HTTP/1.1 '), 400],
  ['a NUL in the target', get('', 'GET /a\0 HTTP/1.1'), 400],
  ['obs-text in the target', get('', 'GET /\xff HTTP/1.1'), 400],
  ['a target without a slash', get('', 'GET a HTTP/1.1'), 400],
  ['GET *', get('', 'GET * HTTP/1.1'), 400],
  ['a TLS ClientHello', '\x16\x03\x01 hello\r\n\r\n', 400],
  ['a bare LF before the request', `\n${get()}`, 400],
  ['bare LF as line ending', 'GET / HTTP/1.1\nHost: localhost\n\n', 400],
  ['one bare LF between fields', get('A: b\nC: d\r\n'), 400],
  ['a bare LF after the request line', `GET / HTTP/1.1\n${host}\r\n`, 400],
  ['a bare CR in a value', get('A: b\rc\r\n'), 400],
  ['two CRs before LF', get('A: b\r\r\n'), 400],
  ['a NUL in a value', get('A: b\0c\r\n'), 400],
  ['a control character in a value', get('A: b\x01c\r\n'), 400],
  ['a DEL in a value', get('A: b\x7fc\r\n'), 400],
  ['a space before the colon', get('A : b\r\n'), 400],
  ['a tab before the colon', get('A\t: b\r\n'), 400],
  ['no colon', get('A b\r\n'), 400],
  ['no name', get(': b\r\n'), 400],
  ['a name that is not a token', get('A(: b\r\n'), 400],
  ['obs-text in a name', get('\xe9: b\r\n'), 400],
  ['obs-fold', get('A: b\r\n c\r\n'), 400],
  ['obs-fold with a tab', get('A: b\r\n\tc\r\n'), 400],
  ['obs-fold after the request line', `GET / HTTP/1.1\r\n ${host}\r\n`, 400],
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ['two Hosts', get(host), 400],
  ['two Hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${host}${host}\r\n`, 400],
  ['an invalid Host', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
  ['Host with a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', 400],
  ['an empty Content-Length', post('Content-Length:\r\n', hidden), 400],
  ['Content-Length that is not a number', post('Content-Length: abc\r\n', hidden), 400],
  ['a negative Content-Length', post('Content-Length: -1\r\n', hidden), 400],
  ['Content-Length with a sign', post('Content-Length: +3\r\n', `abc${hidden}`), 400],
  ['Content-Length in hexadecimal', post('Content-Length: 0x3\r\n', `abc${hidden}`), 400],
  ['Content-Length with an exponent', post('Content-Length: 3e0\r\n', `abc${hidden}`), 400],
  ['Content-Length with a fraction', post('Content-Length: 3.0\r\n', `abc${hidden}`), 400],
  ['Content-Length with a space in it', post('Content-Length: 3 3\r\n', `abc${hidden}`), 400],
  ['Content-Length above 2^53', post('Content-Length: 9007199254740993\r\n', hidden), 400],
  ['Content-Length of 400 digits', post(`Content-Length: ${'9'.repeat(400)}\r\n`, hidden), 400],
  ['two different Content-Lengths', post('Content-Length: 3\r\nContent-Length: 4\r\n', `abcd${hidden}`), 400],
  ['two equal Content-Lengths', post('Content-Length: 3\r\nContent-Length: 3\r\n', `abc${hidden}`), 400],
  ['a list of Content-Lengths', post('Content-Length: 3, 3\r\n', `abc${hidden}`), 400],
  [
    'Content-Length, then Transfer-Encoding',
    post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
    400,
  ],
  [
    'Transfer-Encoding, then Content-Length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', `0\r\n\r\n${hidden}`),
    400,
  ],
  [
    'Content-Length 0 and Transfer-Encoding',
    post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`),
    400,
  ],
  ['Transfer-Encoding in HTTP/1.0', `POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${hidden}`, 400],
  ['chunked twice', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['chunked in a list with an empty element', post('Transfer-Encoding: chunked,\r\n', `0\r\n\r\n${hidden}`), 501],
  ['identity, chunked', post('Transfer-Encoding: identity, chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['chunked, gzip', post('Transfer-Encoding: chunked, gzip\r\n', `0\r\n\r\n${hidden}`), 501],
  ['an unknown coding', post('Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`), 501],
  ['a coding in quotes', post('Transfer-Encoding: "chunked"\r\n', `0\r\n\r\n${hidden}`), 501],
  ['an empty coding', post('Transfer-Encoding:\r\n', `0\r\n\r\n${hidden}`), 501],
  ['a vertical tab before the coding', post('Transfer-Encoding:\x0bchunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['a folded coding', post('Transfer-Encoding:\r\n chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['a space before the colon of Transfer-Encoding', post('Transfer-Encoding : chunked\r\n', `0\r\n\r\n${hidden}`), 400],
  ['an unknown expectation', post('Expect: miracles\r\nContent-Length: 3\r\n', 'abc'), 417],
  ['a chunk without a size', chunked(`\r\n${hidden}`), 400],
  ['an invalid chunk size', chunked(`zz\r\n${hidden}`), 400],
  ['a negative chunk size', chunked(`-1\r\n${hidden}`), 400],
  ['a chunk size with a prefix', chunked(`0x1\r\na\r\n${hidden}`), 400],
  ['a chunk size with a space before it', chunked(` 1\r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk size with a space after it', chunked(`1 \r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a bare LF after a chunk size', chunked(`1\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a bare LF after a chunk extension', chunked(`1;a\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a bare CR in a chunk extension', chunked(`1;a\rb\r\na\r\n0\r\n\r\n${hidden}`), 400],
  ['a chunk size of 17 digits', chunked(`fffffffffffffffff\r\n${hidden}`), 400],
  ['a chunk longer than its size', chunked(`1\r\nab\r\n0\r\n\r\n${hidden}`), 400],
  ['a bare LF after chunk data', chunked(`1\r\na\n0\r\n\r\n${hidden}`), 400],
  ['a trailer without a colon', chunked(`0\r\nA b\r\n\r\n${hidden}`), 400],
  ['a folded trailer', chunked(`0\r\nA: b\r\n c\r\n\r\n${hidden}`), 400],
  ['a bare LF after a trailer', chunked(`0\r\nA: b\n\r\n${hidden}`), 400],
  ['an endless chunk extension', chunked(`1;${'a'.repeat(5000)}\r\na\r\n0\r\n\r\n`), 400],
  ['more framing than data', chunked(`${`1;${'a'.repeat(1000)}\r\na\r\n`.repeat(40)}0\r\n\r\n`), 400],
  ['endless trailers', chunked(`0\r\n${`A: ${'b'.repeat(1000)}\r\n`.repeat(70)}\r\n`), 431],
  ['more than 1,000 headers', get('A: b\r\n'.repeat(1000)), 431],
  ['more than 1 MiB of headers', get(`A: ${'b'.repeat(1 << 20)}\r\n`), 431],
  ['an endless request line', `GET /${'a'.repeat(1 << 20)}`, 431],
];

const whole = (text: string) => readAll([latin1(text)]);
/** Long texts are split into larger pieces. */
const inBytes = (text: string) => readAll(cut(latin1(text), () => (text.length > 20_000 ? 1009 : 1)));

describe.each([
  ['in one piece', whole],
  ['byte by byte', inBytes],
])('%s', (_, read) => {
  it.each(accepted)('is parsed: %s', async (_title, text, expected) => {
    const next = 'GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const { requests, refused } = await read(text + next);
    expect(refused).toBeUndefined();
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatchObject(expected);
    expect(requests[1]).toMatchObject({ line: 'GET /next 1.1', body: '' });
  });

  it.each(refused)('is rejected, with everything after it: %s', async (_title, text, status) => {
    const reading = await read(text);
    expect(reading.requests).toEqual([]);
    expect([status, 400]).toContain(reading.refused);
  });
});

describe('an error', () => {
  it.each(refused)('has its status: %s', async (_title, text, status) => {
    expect((await whole(text)).refused).toBe(status);
  });
});

describe('the header cache', () => {
  it('distinguishes headers that differ in one line', async () => {
    const fields = ['A: b\r\n', 'A: c\r\n', 'A: b\r\n', '', 'A: b\r\nContent-Length: 0\r\n'];
    const { requests } = await whole(fields.map((each) => get(each)).join(''));
    expect(requests.map(({ headers }) => headers.a)).toEqual(['b', 'c', 'b', undefined, 'b']);
  });

  it('depends on the version', async () => {
    const text = post('Transfer-Encoding: chunked\r\n', '0\r\n\r\n');
    const { requests, refused } = await whole(text + text.replace('HTTP/1.1', 'HTTP/1.0'));
    expect([requests.length, refused]).toEqual([1, 400]);
  });
});

describe('a header that arrives byte by byte', () => {
  it('takes time proportional to its length', async () => {
    const text = get(`A: ${'b'.repeat(400_000)}\r\n`);
    const began = performance.now();
    expect((await readAll(cut(latin1(text), () => 1))).requests).toHaveLength(1);
    // If every byte caused a copy or a new search, it would take minutes.
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
