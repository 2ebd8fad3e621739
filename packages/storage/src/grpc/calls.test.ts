import { expect, it } from 'vitest';
import { frameMessage, joinMessage, Unframer } from './calls.ts';

const MESSAGES = ['', 'one', 'x'.repeat(1000), ''].map((text) => Buffer.from(text));

it.each([1, 2, 3, 4, 5, 6, 7, 100, 10_000])('splits a stream into messages, received in chunks of %d bytes', (size) => {
  const sent = Buffer.concat(MESSAGES.map(frameMessage));
  const unframer = new Unframer();
  const received: string[] = [];
  for (let at = 0; at < sent.length; at += size) {
    for (const message of unframer.push(sent.subarray(at, at + size))) received.push(message.toString());
  }
  expect(received).toEqual(MESSAGES.map(String));
});

it('joins the chunks of a single message', () => {
  const sent = frameMessage(Buffer.from('a message'));
  expect(joinMessage([sent]).toString()).toBe('a message');
  expect(joinMessage([sent.subarray(0, 3), sent.subarray(3)]).toString()).toBe('a message');
});
