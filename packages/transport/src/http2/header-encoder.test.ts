import { describe, expect, it } from 'vitest';
import { WriteBuffer } from '../http/write-buffer.ts';
import { HeaderDecoder } from './header-decoder.ts';
import { HeaderEncoder } from './header-encoder.ts';

/** An encoder and the decoder of its client. */
function pair() {
  const encoder = new HeaderEncoder();
  const decoder = new HeaderDecoder({ bytes: 1 << 20, count: 1000 });
  const out = new WriteBuffer();
  const send = (status: number, headers: Readonly<Record<string, string | readonly string[]>>) => {
    encoder.begin(out, status);
    encoder.all(out, headers);
    const gathered = out.take();
    const bytes = Buffer.from(gathered?.bytes ?? []);
    gathered?.release();
    return { length: bytes.length, lines: decoder.decode(bytes, 0, bytes.length).lines };
  };
  return { encoder, decoder, send };
}

const usual = { 'content-type': 'application/json', 'cache-control': 'no-cache, private', 'x-uid': 'a-b-c' };
const linesOf = (headers: Readonly<Record<string, string>>) => Object.entries(headers).flat();

describe('header blocks', () => {
  it('are literal the first time, and indexed afterwards', () => {
    const { send } = pair();
    const first = send(200, { ...usual, 'audit-id': 'id-1' });
    const second = send(200, { ...usual, 'audit-id': 'id-2' });
    const third = send(200, { ...usual, 'audit-id': 'id-3' });
    expect(first.lines).toEqual(linesOf({ ...usual, 'audit-id': 'id-1' }));
    expect(second.lines).toEqual(linesOf({ ...usual, 'audit-id': 'id-2' }));
    expect(third.lines).toEqual(linesOf({ ...usual, 'audit-id': 'id-3' }));
    expect([second.length, third.length]).toEqual([11, 11]);
  });

  it.each([200, 201, 304, 404, 431, 503])('encode status %d', (status) => {
    const { encoder } = pair();
    const out = new WriteBuffer();
    encoder.begin(out, status);
    const bytes = Buffer.from(out.take()?.bytes ?? []);
    const isIndexed = [200, 304, 404].includes(status);
    expect(isIndexed ? bytes.length : bytes.toString('latin1', 2)).toBe(isIndexed ? 1 : String(status));
  });

  it('repeat a name for each of its values', () => {
    expect(pair().send(200, { warning: ['a', 'b'] }).lines).toEqual(['warning', 'a', 'warning', 'b']);
  });

  it('leave out connection-specific fields', () => {
    expect(pair().send(200, { connection: 'close', 'Transfer-Encoding': 'chunked', 'X-A': '1' }).lines).toEqual(['x-a', '1']);
  });

  it('contain no control characters', () => {
    const { send } = pair();
    const long = 'a'.repeat(100);
    expect(send(200, { x: 'a\r\nb\u2028', y: `${long}\r\n\u{1f600}caf\xe9` }).lines).toEqual([
      'x',
      'a??b?',
      'y',
      `${long}????caf\xe9`,
    ]);
  });

  it('are valid when the table is full', () => {
    const { send, decoder } = pair();
    for (let i = 0; i < 300; i++) {
      const headers = { ...usual, [`x-${i % 90}`]: `value ${i}`, etag: `"${i}"` };
      expect(send(200, headers).lines).toEqual(linesOf(headers));
    }
    expect(decoder.table.bytes).toBeLessThanOrEqual(4096);
    expect(decoder.table.bytes).toBeGreaterThan(3900);
  });

  it('may be of any length', () => {
    const headers = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`x-${i}`, 'v'.repeat(20_000)]));
    expect(pair().send(200, headers).lines).toEqual(linesOf(headers));
  });

  it.each([0, 100, 4096, 1 << 20])('obey a table size of %d bytes', (bytes) => {
    const { send, encoder, decoder } = pair();
    send(200, usual);
    encoder.limitTable(bytes);
    for (let i = 0; i < 3; i++) expect(send(200, usual).lines).toEqual(linesOf(usual));
    expect(decoder.table.bytes).toBeLessThanOrEqual(Math.min(bytes, 4096));
    encoder.limitTable(4096);
    for (let i = 0; i < 3; i++) expect(send(200, usual).lines).toEqual(linesOf(usual));
    expect(decoder.table.count).toBe(3);
  });
});
