import * as zlib from 'node:zlib';
import { expect, it } from 'vitest';
import { crc32, crc32InJavaScript } from './checksum.ts';

it('is CRC-32', () => {
  expect(crc32InJavaScript(Buffer.from('123456789'))).toBe(0xcbf43926);
  expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926);
});

it.runIf('crc32' in zlib)('is that of zlib, for every length and seed', () => {
  const native = (zlib as unknown as { crc32: typeof crc32 }).crc32;
  for (let length = 1; length < 300; length++) {
    const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 131 + length * 7) & 0xff));
    expect(crc32InJavaScript(bytes, length * 0xd3779b)).toBe(native(bytes, length * 0xd3779b));
    expect(crc32(bytes, length)).toBe(native(bytes, length));
  }
});
