import { describe, expect, it } from 'vitest';
import { type SeriesSample, TextFormatParser } from './text-format.ts';

const wanted = new Set(['cpu', 'memory:bytes']);

/** Parses the text in chunks of the given size. */
function parse(text: string, chunkBytes = Number.POSITIVE_INFINITY, maxLineBytes?: number) {
  const samples: object[] = [];
  const onSample = ({ name, labels, value, timestampMs }: SeriesSample) =>
    samples.push({ name, labels: Object.fromEntries(labels), value, ...(timestampMs !== undefined && { timestampMs }) });
  const parser = new TextFormatParser({ wanted, onSample, ...(maxLineBytes && { maxLineBytes }) });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) parser.push(bytes.subarray(at, at + chunkBytes));
  parser.end();
  return samples;
}

describe('the text format', () => {
  it.each([
    ['cpu 1.5', { name: 'cpu', labels: {}, value: 1.5 }],
    ['cpu 1e-3 1700000000123', { name: 'cpu', labels: {}, value: 0.001, timestampMs: 1700000000123 }],
    ['memory:bytes{a="b"} 7', { name: 'memory:bytes', labels: { a: 'b' }, value: 7 }],
    ['cpu { a = "b" , c="d", } 7', { name: 'cpu', labels: { a: 'b', c: 'd' }, value: 7 }],
    ['cpu{} 7\r', { name: 'cpu', labels: {}, value: 7 }],
    ['\tcpu\t7\t-5 ', { name: 'cpu', labels: {}, value: 7, timestampMs: -5 }],
    [String.raw`cpu{a="\"\\\n}"} 7`, { name: 'cpu', labels: { a: '"\\\n}' }, value: 7 }],
    ['cpu{a="größe"} 7', { name: 'cpu', labels: { a: 'größe' }, value: 7 }],
    ['cpu{__proto__="x"} 7', { name: 'cpu', labels: JSON.parse('{"__proto__":"x"}'), value: 7 }],
    ['cpu +Inf', { name: 'cpu', labels: {}, value: Number.POSITIVE_INFINITY }],
    ['cpu -Inf', { name: 'cpu', labels: {}, value: Number.NEGATIVE_INFINITY }],
    ['cpu NaN', { name: 'cpu', labels: {}, value: Number.NaN }],
  ])('%s', (line, sample) => {
    for (const chunkBytes of [1, 3, 1000]) {
      expect(parse(line, chunkBytes)).toEqual([sample]);
      expect(parse(`# HELP cpu text\n\n${line}\n# EOF\nother{x="y"} 5 6\n`, chunkBytes)).toEqual([sample]);
    }
  });

  it.each([
    ['<html>', 'does not start with the name of a metric'],
    ['{"kind":"Status"}', 'does not start with the name of a metric'],
    ['7up 1', 'does not start with the name of a metric'],
    ['cpu', 'has no value'],
    ['other', 'has no value'],
    ['cpu seven', '"seven" is not a number'],
    ['cpu 1 soon', '"soon" is not a timestamp'],
    ['cpu 1 1.5', '"1.5" is not a timestamp'],
    ['cpu 1 2 3', 'has more after the timestamp'],
    ['cpu{a} 1', 'expected a label name and "="'],
    ['cpu{a=b} 1', 'the value of a label is not quoted'],
    ['cpu{a="b 1', 'the value of a label has no end'],
    ['cpu{a="b\\', 'the value of a label has no end'],
    ['other{a="b" c="d"} 1', 'expected "," or "}" after a label'],
    ['cpu{a="b"', 'expected "," or "}" after a label'],
    [`cpu{a="${'x'.repeat(200)}"} 1`, 'longer than 100 bytes'],
  ])('%s is refused', (line, message) => {
    expect(() => parse(`cpu 1\n${line}`, 7, 100)).toThrow(message);
    expect(() => parse(`cpu 1\n${line}\n`, undefined, 100)).toThrow(`line 2: ${message}`);
  });
});
