import { describe, expect, it } from 'vitest';
import type { Http2Exchange } from './exchange.ts';
import { frameFlag, frameType } from './protocol.ts';
import { converse, type Handle, ok, quiet } from './testing/conversation.ts';
import { block, data, frame, framesIn, getFrame, hello, postFrame, requestLine, settings, uint32 } from './testing/wire.ts';

type Random = (below: number) => number;

/** The same numbers for the same seed (a linear congruential generator). */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function* someChunks() {
  for (let i = 0; i < 50; i++) yield Buffer.alloc(700, i);
}

/** Every kind of answer. */
const handles: readonly Handle[] = [
  (exchange) => exchange.respond(ok),
  (exchange) => exchange.respond({ kind: 'bytes', status: 200, type: 'x', body: someChunks() }),
  (exchange) => exchange.respond({ kind: 'bytes', status: 404, type: 'x', body: Buffer.alloc(100_000) }),
  (exchange) =>
    exchange.body(1000).then(
      () => exchange.respond(ok),
      () => exchange.respond(ok),
    ),
  (exchange) => exchange.respond({ kind: 'stream', status: 200, type: 'x', start: (sink) => sink.write([], Buffer.alloc(2000)) }),
  (exchange) => exchange.abort(),
  () => {},
];

/** Valid input of a client. */
const sensible: readonly ((id: number, random: Random) => Buffer)[] = [
  (id) => getFrame(id),
  (id) => Buffer.concat([postFrame(id), data(id, 'body'), data(id, 'end', frameFlag.endStream)]),
  (id) => postFrame(id, ['content-length', '4']),
  (id) => data(id - 2, 'late', frameFlag.endStream),
  (id) =>
    Buffer.concat([
      frame(frameType.headers, 0, id, block(...requestLine)),
      frame(frameType.continuation, frameFlag.endHeaders, id),
    ]),
  (id) => frame(frameType.reset, 0, Math.max(1, id - 2), uint32(8)),
  (_, random) => frame(frameType.windowUpdate, 0, 0, uint32(1 + random(100_000))),
  (id, random) => frame(frameType.windowUpdate, 0, Math.max(1, id - 2), uint32(1 + random(100_000))),
  (_, random) => settings([4, random(100_000)], [1, random(5000)]),
  () => frame(frameType.ping, 0, 0, Buffer.alloc(8)),
  (id) => frame(frameType.priority, 0, id, Buffer.alloc(5)),
  (id) =>
    frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, id, Buffer.of(0x82, 0x87, 0x84, 0x41, 0x01, 0x61, 0xbe)),
];

function conversationBytes(random: Random): Buffer {
  const parts = Array.from({ length: 1 + random(20) }, (_, i) => {
    const send = sensible[random(sensible.length)] as (typeof sensible)[number];
    return send(2 * i + 3, random);
  });
  return Buffer.concat([getFrame(1), ...parts]);
}

const mutations: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes) => bytes,
  (bytes, random) => {
    for (let i = 0; i < 1 + random(4); i++) bytes[random(bytes.length)] = random(256);
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random(bytes.length)),
  (bytes, random) => {
    const at = random(bytes.length);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + random(20))]);
  },
  (bytes, random) => {
    const at = random(bytes.length);
    return Buffer.concat([
      bytes.subarray(0, at),
      Buffer.from(Array.from({ length: random(20) }, () => random(256))),
      bytes.subarray(at),
    ]);
  },
  (bytes, random) => {
    const frames = framesIn(bytes);
    const shuffled = frames.map((each) => ({ each, at: random(1000) })).sort((a, b) => a.at - b.at);
    return Buffer.concat(
      shuffled.map(({ each: { type, flags, stream, payload } }) => frame(type, flags ^ (1 << random(8)), stream, payload)),
    );
  },
];

describe('thousands of malformed conversations', () => {
  it.each([1, 2, 3, 4])('cause no internal error: seed %d', { timeout: 120_000 }, async (seed) => {
    const random = randomFrom(seed);
    for (let round = 0; round < 750; round++) {
      const handle: Handle = (exchange: Http2Exchange) => (handles[random(handles.length)] as Handle)(exchange);
      const conversation = await converse(handle, { maxStreams: 5 }, Buffer.alloc(0));
      const mutate = mutations[random(mutations.length)] as (typeof mutations)[number];
      const bytes = Buffer.concat([hello, mutate(conversationBytes(random), random)]);
      const cut = random(bytes.length);
      conversation.line.push(bytes.subarray(0, cut));
      conversation.line.push(bytes.subarray(cut));
      if (random(3) === 0) conversation.line.stick();
      await quiet(conversation.line);
      if (random(2) === 0) conversation.line.push(null);
      else conversation.line.destroy();
      await quiet(conversation.line);
      expect(conversation.errors).toEqual([]);
      expect(conversation.exchanges.filter(({ isClosed }) => !isClosed)).toEqual([]);
    }
  });
});
