import { expect, it } from 'vitest';
import { type Random, seeded } from '../../../../tests/support/random.ts';
import { cut, latin1, readAll } from './testing/reading.ts';

const seed = Number(process.env.FUZZ_SEED ?? 1);
const trials = Number(process.env.FUZZ_TRIALS ?? 4000);

const parts: readonly string[] = [
  'GET /a HTTP/1.1\r\nHost: a\r\n\r\n',
  'GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  'DELETE /a?b=c HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello',
  'POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nT: u\r\n\r\n',
  'POST https://a/b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
  'GET /w?watch=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX: \t y \r\nX: z\r\n\r\n',
];

const snippets: readonly string[] = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  '0\r\n\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Host: b\r\n',
  'HTTP/1.1',
  '\xff',
  'ffffffff\r\n',
  ...parts,
];

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;

function spoil(text: string, random: Random): string {
  const at = random(text.length + 1);
  switch (random(4)) {
    case 0:
      return text.slice(0, at) + pick(random, snippets) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(4));
    case 2:
      return text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1);
    default:
      return text.slice(0, at) + text.slice(random(text.length + 1));
  }
}

function conversation(random: Random): string {
  let text = Array.from({ length: 1 + random(4) }, () => pick(random, parts)).join('');
  for (let i = random(4); i > 0; i--) text = spoil(text, random);
  return text;
}

it('parsing does not depend on how the input is split', async () => {
  const random = seeded(seed);
  let refusals = 0;
  for (let i = 0; i < trials; i++) {
    const bytes = latin1(conversation(random));
    const whole = await readAll([bytes]);
    const pieces = await readAll(cut(bytes, () => 1 + random(1 + random(40))));
    expect(pieces.requests, bytes.toString('latin1')).toEqual(whole.requests);
    expect(pieces.refused === undefined, bytes.toString('latin1')).toBe(whole.refused === undefined);
    if (whole.refused !== undefined) refusals++;
  }
  expect(refusals).toBeGreaterThan(trials / 10);
  expect(refusals).toBeLessThan(trials);
}, 60_000);
