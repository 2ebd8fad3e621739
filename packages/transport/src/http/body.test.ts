import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Http2RequestBody } from '../http2/request-body.ts';
import { BodyBuffer } from './body.ts';

describe('BodyBuffer', () => {
  it.each([
    ['no bytes', []],
    ['one piece', [10]],
    ['single bytes', Array(10_000).fill(1)],
    ['large pieces', Array(40).fill(16_384)],
    ['small and large pieces alternately', Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? 1 : 20_000))],
    ['pieces larger than a page', [1, 1, 700_000, 3]],
  ])('returns the bytes that were added: %s', (_what, sizes) => {
    const body = new BodyBuffer();
    const chunks = sizes.map((size, i) => Buffer.alloc(size, i % 251));
    for (const chunk of chunks) body.add(chunk, 0, chunk.length);
    const all = Buffer.concat(chunks);
    expect(body.length).toBe(all.length);
    expect(body.takeAll().equals(all)).toBe(true);
    expect(body.length).toBe(0);
  });

  it('takes a range of a buffer', () => {
    const body = new BodyBuffer();
    for (let i = 0; i < 3; i++) body.add(Buffer.from('abcdef'), 2, 4);
    expect(body.takeAll().toString()).toBe('cdcdcd');
  });
});

function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('memory of a body is proportional to its bytes', () => {
  const count = 250;

  it('over HTTP/2, in frames of one byte that arrive in separate reads', async () => {
    const body = new Http2RequestBody(undefined, () => {});
    body.read(1 << 20).catch(() => {});
    const before = liveBytes();
    for (let i = 0; i < count; i++) body.add(Buffer.alloc(64 * 1024).subarray(9, 10), 1);
    // Buffers are freed in the background.
    await expect.poll(() => liveBytes() - before, { timeout: 5000 }).toBeLessThan(4 << 20);
    expect(body.length).toBe(count);
  });
});
