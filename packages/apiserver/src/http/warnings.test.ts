import { describe, expect, it } from 'vitest';
import { Warnings } from './warnings.ts';

function headersOf(texts: readonly string[]): readonly string[] {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers;
}

const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, i) => `${i}${'x'.repeat(length)}`.slice(0, length));
const characters = (header: string) => header.length - '299 - ""'.length;

describe('warnings', () => {
  it.each([
    ['duplicates are dropped', ['a', 'b', 'a', ''], ['299 - "a"', '299 - "b"']],
    ['quotes are quoted', ['unknown field "a\\b"'], ['299 - "unknown field \\"a\\\\b\\""']],
    ['other scripts go out as UTF-8', ['é'], ['299 - "Ã©"']],
    ['texts with control characters are dropped', ['a\nb', 'a\u0000', 'a\u0085', 'c'], ['299 - "c"']],
  ])('%s', (_, given, headers) => {
    expect(headersOf(given)).toEqual(headers);
  });

  it.each([
    [1, 4096, [4096]],
    [1, 4097, [256]],
    [1, 3_000_000, [256]],
    [2, 2048, [2048, 2048]],
    [3, 2000, [256, 256, 256]],
    [30, 100, Array(30).fill(100)],
    [50, 300, Array(16).fill(256)],
    [100_000, 100, Array(41).fill(100)],
  ])('%d of %d characters', (count, length, lengths) => {
    expect(headersOf(texts(count, length)).map(characters)).toEqual(lengths);
  });

  it('are cut between characters', () => {
    expect(headersOf(['😀'.repeat(5000)])).toEqual([`299 - "${Buffer.from('😀'.repeat(256)).toString('latin1')}"`]);
  });
});
