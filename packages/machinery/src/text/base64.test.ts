import { expect, it } from 'vitest';
import { canonicalBase64 } from './base64.ts';

it.each([3, 1000, 1 << 16, 9 << 20])('accepts canonical base64 of %i bytes', (length) => {
  const text = Buffer.alloc(length, 'x').toString('base64');
  expect(canonicalBase64(text) === text).toBe(true);
});

it('drops line breaks and unused bits, also of long texts', () => {
  const text = Buffer.alloc(1 << 20, 'x').toString('base64');
  expect(canonicalBase64(`${text.slice(0, 80)}\n${text.slice(80)}`) === text).toBe(true);
  expect(canonicalBase64('QR==')).toBe('QQ==');
});

it('reports the position of an illegal character in a long text', () => {
  const text = Buffer.alloc(1 << 20, 'x').toString('base64');
  expect(() => canonicalBase64(`${text.slice(0, 100_000)}*${text.slice(100_001)}`)).toThrow(
    'illegal base64 data at input byte 100000',
  );
});
