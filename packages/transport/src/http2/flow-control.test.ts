import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { BytesAnswer, Sink } from '../http/answer.ts';
import { errorCode, frameFlag, frameType } from './protocol.ts';
import { answerOk, bodyOf, type Conversation, converse, goAwayCode, ok, quiet, resetsIn } from './testing/conversation.ts';
import { data, frame, getFrame, postFrame, settings, uint32 } from './testing/wire.ts';

const { headers, reset, goAway, windowUpdate } = frameType;
const widen = (stream: number, bytes: number) => frame(windowUpdate, 0, stream, uint32(bytes));
const bytes = (body: BytesAnswer['body']): BytesAnswer => ({
  kind: 'bytes',
  status: 200,
  type: 'text/plain',
  body,
});
const sizes = (conversation: Conversation, stream: number) =>
  conversation.receivedOf(frameType.data).flatMap((each) => (each.stream === stream ? [each.payload.length] : []));

/** Chunks of 1 KiB, and how many of them were pulled. */
function counted(count: number) {
  const made = { chunks: 0, isReturned: false };
  function* chunks() {
    try {
      for (; made.chunks < count; made.chunks++) yield Buffer.alloc(1024, made.chunks);
    } finally {
      made.isReturned = true;
    }
  }
  return { made, chunks: chunks() };
}

describe('answers obey the send windows', () => {
  it('an answer is sent up to the window of its stream, and continued by WINDOW_UPDATE', async () => {
    const conversation = await converse((exchange) => exchange.respond(bytes(Buffer.alloc(100, 'x'))));
    await conversation.send(settings([4, 30]), getFrame(1));
    expect(sizes(conversation, 1)).toEqual([30]);
    await conversation.send(widen(1, 50));
    expect(sizes(conversation, 1)).toEqual([30, 50]);
    await conversation.send(widen(1, 50));
    expect(bodyOf(conversation, 1)).toEqual(Buffer.alloc(100, 'x'));
    expect(conversation.receivedOf(frameType.data).at(-1)?.flags).toBe(frameFlag.endStream);
    expect(conversation.exchanges[0]?.isClosed).toBe(true);
  });

  it('a window may become negative by SETTINGS and grow again', async () => {
    const conversation = await converse((exchange) => exchange.respond(bytes(Buffer.alloc(100))));
    await conversation.send(settings([4, 60]), getFrame(1));
    await conversation.send(settings([4, 10]));
    await conversation.send(widen(1, 50));
    expect(sizes(conversation, 1)).toEqual([60]);
    await conversation.send(settings([4, 50]));
    expect(sizes(conversation, 1)).toEqual([60, 40]);
  });

  it('the window of the connection is shared by the streams', async () => {
    const large = Buffer.alloc(100_000, 'x');
    const conversation = await converse((exchange) => exchange.respond(bytes(large)));
    await conversation.send(getFrame(1), getFrame(3), getFrame(5));
    const total = () => [1, 3, 5].map((stream) => bodyOf(conversation, stream).length);
    expect(total().reduce((sum, each) => sum + each)).toBe(65_535);
    expect(total().filter((each) => each > 0).length).toBeGreaterThan(1);
    await conversation.send(settings([4, 1 << 20]), widen(0, 1 << 20));
    expect(total()).toEqual([100_000, 100_000, 100_000]);
  });

  it('a large answer does not delay small ones', async () => {
    const conversation = await converse((exchange) => exchange.respond(exchange.id === 1 ? bytes(Buffer.alloc(5 << 20)) : ok));
    await conversation.send(settings([4, 8 << 20]), widen(0, 8 << 20));
    await conversation.send(getFrame(1), getFrame(3));
    const order = conversation.receivedOf(frameType.data);
    const small = order.findIndex(({ stream }) => stream === 3);
    expect(order.slice(0, small).reduce((sum, { payload }) => sum + payload.length, 0)).toBeLessThan(64 * 1024);
    expect(bodyOf(conversation, 1).length).toBe(5 << 20);
  });

  it('an empty answer, and one to HEAD, ends with its HEADERS', async () => {
    const conversation = await converse((exchange) => exchange.respond(bytes('')));
    await conversation.send(settings([4, 0]), getFrame(1));
    expect(conversation.receivedOf(headers).map(({ flags }) => flags)).toEqual([frameFlag.endHeaders | frameFlag.endStream]);
  });

  it('an iterable is pulled as the window allows', async () => {
    const { made, chunks } = counted(1000);
    const conversation = await converse((exchange) => exchange.respond(bytes(chunks)));
    await conversation.send(getFrame(1));
    expect(made.chunks).toBeLessThanOrEqual(64);
    await conversation.send(widen(0, 1 << 21), widen(1, 1 << 21));
    expect(bodyOf(conversation, 1).length).toBe(1000 * 1024);
    expect(conversation.receivedOf(frameType.data).at(-1)?.flags).toBe(frameFlag.endStream);
    expect(Math.max(...sizes(conversation, 1))).toBe(16_384);
  });

  it.each<[string, (conversation: Conversation) => Promise<void> | void]>([
    ['resets', (conversation) => conversation.send(frame(reset, 0, 1, uint32(8)))],
    ['goes', (conversation) => void conversation.line.destroy()],
  ])('chunks are given up when the client %s', async (_, leave) => {
    const { made, chunks } = counted(1000);
    let aborted = 0;
    const conversation = await converse((exchange) => {
      exchange.request = { cancel: () => aborted++ };
      exchange.respond(bytes(chunks));
    });
    await conversation.send(getFrame(1));
    await leave(conversation);
    await quiet(conversation.line);
    expect([made.isReturned, aborted, conversation.exchanges[0]?.isClosed]).toEqual([true, 1, true]);
  });

  it('a Readable is read as the window allows', async () => {
    const source = Readable.from(counted(1000).chunks, { highWaterMark: 4 });
    const conversation = await converse((exchange) => exchange.respond(bytes(source)));
    await conversation.send(getFrame(1));
    await expect.poll(() => bodyOf(conversation, 1).length).toBe(65_535);
    await conversation.send(widen(0, 1 << 21), widen(1, 1 << 21));
    await expect.poll(() => bodyOf(conversation, 1).length).toBe(1000 * 1024);
    await expect.poll(() => conversation.exchanges[0]?.isClosed).toBe(true);
  });

  it.each<[string, () => BytesAnswer['body']]>([
    [
      'chunks that fail',
      () =>
        (function* () {
          yield Buffer.from('x');
          throw new Error('no more');
        })(),
    ],
    [
      'a stream that fails',
      () =>
        new Readable({
          read() {
            this.destroy(new Error('no more'));
          },
        }),
    ],
    ['a closed stream', () => new Readable({ read() {} }).destroy()],
  ])('%s break it off', async (_, body) => {
    const conversation = await converse((exchange) => exchange.respond(bytes(body())));
    await conversation.send(getFrame(1));
    await expect.poll(() => resetsIn(conversation)).toEqual([[1, errorCode.internal]]);
    expect(conversation.errors).toEqual([]);
  });
});

describe('request bodies obey the receive windows', () => {
  it('one window before the handler reads the body, the rest afterwards', async () => {
    const conversation = await converse(() => {});
    await conversation.send(postFrame(1), ...Array.from({ length: 16 }, () => data(1, Buffer.alloc(16_384, 'x'))));
    expect(conversation.receivedOf(windowUpdate)).toEqual([]);
    const body = conversation.exchanges[0]?.body(1 << 20);
    await quiet(conversation.line);
    expect(conversation.receivedOf(windowUpdate).map(({ stream, payload }) => [stream, payload.readUInt32BE(0)])).toEqual([
      [1, 262_144],
    ]);
    await conversation.send(
      ...Array.from({ length: 16 }, () => data(1, Buffer.alloc(16_384, 'y'))),
      data(1, 'z', frameFlag.endStream),
    );
    expect((await body)?.length).toBe(2 * 262_144 + 1);
    const ofConnection = conversation.receivedOf(windowUpdate).filter(({ stream }) => stream === 0);
    expect(ofConnection.map(({ payload }) => payload.readUInt32BE(0))).toEqual([524_288]);
  });

  it('unread bodies do not use up the connection window', async () => {
    const conversation = await converse(answerOk);
    for (let id = 1; id < 40; id += 2) {
      await conversation.send(postFrame(id), ...Array.from({ length: 16 }, () => data(id, Buffer.alloc(16_384))));
      expect(conversation.receivedOf(goAway)).toEqual([]);
    }
    await expect.poll(() => resetsIn(conversation).length).toBe(20);
    expect(new Set(resetsIn(conversation).map(([, code]) => code))).toEqual(new Set([errorCode.none]));
    expect(conversation.exchanges.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('a client may finish its body after the answer', async () => {
    const conversation = await converse(answerOk);
    await conversation.send(postFrame(1));
    for (let i = 0; i < 20; i++) {
      await conversation.send(...Array.from({ length: 16 }, () => data(1, Buffer.alloc(16_384))));
      if (i % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await conversation.send(data(1, 'end', frameFlag.endStream));
    expect(conversation.exchanges[0]?.isClosed).toBe(true);
    expect([resetsIn(conversation), conversation.receivedOf(goAway)]).toEqual([[], []]);
  });

  it('a body above the limit is rejected, and the rest is dropped', async () => {
    const errors: string[] = [];
    const conversation = await converse((exchange) => {
      exchange.body(100).catch((error: Error) => {
        errors.push(error.name);
        answerOk(exchange);
      });
    });
    await conversation.send(postFrame(1), data(1, Buffer.alloc(60)), data(1, Buffer.alloc(60)), data(1, Buffer.alloc(60)));
    await conversation.send(postFrame(3, ['content-length', '101']), data(3, 'x'));
    await conversation.send(data(1, 'x', frameFlag.endStream));
    expect(errors).toEqual(['BodyTooLarge', 'BodyTooLarge']);
    expect(conversation.exchanges[0]?.isClosed).toBe(true);
  });

  it('a body in frames of one byte', async () => {
    let body = '';
    const conversation = await converse((exchange) => {
      exchange.body(10_000).then((whole) => {
        body = String(whole);
      });
    });
    const text = Array.from({ length: 2000 }, (_, i) => String(i % 10)).join('');
    await conversation.send(postFrame(1), ...[...text].map((character) => data(1, character)), data(1, '', frameFlag.endStream));
    expect(body).toBe(text);
  });
});

describe('a sink', () => {
  async function open() {
    let sink: Sink | undefined;
    const start = (given: Sink) => {
      sink = given;
    };
    const conversation = await converse((exchange) => exchange.respond({ kind: 'stream', status: 200, type: 'x', start }));
    await conversation.send(getFrame(1));
    return { conversation, sink: sink as Sink };
  }
  const write = (sink: Sink, length: number) => sink.write([], Buffer.alloc(length, 'x'));

  it('sends its header at once, and the writes of one iteration together', async () => {
    const { conversation, sink } = await open();
    expect(conversation.receivedOf(headers)).toHaveLength(1);
    const writes = conversation.line.written.length;
    for (let i = 0; i < 10; i++) write(sink, 10);
    await quiet(conversation.line);
    expect(conversation.line.written.length).toBe(writes + 1);
    expect(sizes(conversation, 1)).toEqual([100]);
  });

  it('reports buffered bytes and drains', async () => {
    const { conversation, sink } = await open();
    write(sink, 70_000);
    write(sink, 1000);
    let drained = 0;
    sink.onDrain(() => drained++);
    await quiet(conversation.line);
    expect([sink.buffered, drained]).toEqual([71_000 - 65_535, 0]);
    await conversation.send(widen(0, 10_000), widen(1, 10_000));
    expect([sink.buffered, drained]).toEqual([0, 1]);
    sink.onDrain(() => drained++);
    await quiet(conversation.line);
    expect(drained).toBe(2);
  });

  it('waits for a client that does not read, and continues', async () => {
    const { conversation, sink } = await open();
    await conversation.send(widen(1, 1 << 20));
    for (let i = 0; i < 100; i++) write(sink, 1000);
    await quiet(conversation.line);
    for (let i = 0; i < 35; i++) await conversation.send(widen(0, 1000));
    expect(bodyOf(conversation, 1).length).toBe(100_000);
  });

  it('ignores writes after its end', async () => {
    const { conversation, sink } = await open();
    let closed = 0;
    sink.onClose(() => closed++);
    write(sink, 5);
    sink.end();
    write(sink, 5);
    await quiet(conversation.line);
    write(sink, 5);
    sink.end();
    await quiet(conversation.line);
    expect([sizes(conversation, 1), closed]).toEqual([[5], 1]);
    sink.onClose(() => closed++);
    expect(closed).toBe(2);
  });

  it('is aborted with RST_STREAM', async () => {
    const { conversation, sink } = await open();
    write(sink, 100_000);
    sink.abort();
    sink.abort();
    await quiet(conversation.line);
    expect([resetsIn(conversation), sink.buffered]).toEqual([[[1, errorCode.cancel]], 0]);
  });
});

describe('a connection', () => {
  it('finishes open streams when it is closed', async () => {
    const conversation = await converse(() => {});
    await conversation.send(getFrame(1), getFrame(3));
    conversation.connection.close();
    await conversation.send(getFrame(5));
    expect(conversation.receivedOf(goAway).map(({ payload }) => payload.readUInt32BE(0))).toEqual([3]);
    expect([conversation.exchanges.length, conversation.line.writableEnded]).toEqual([2, false]);
    conversation.exchanges[0]?.respond(ok);
    conversation.exchanges[1]?.respond(ok);
    await quiet(conversation.line);
    expect([bodyOf(conversation, 3).toString(), conversation.line.writableEnded]).toEqual(['ok', true]);
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([errorCode.none]);
  });

  it('ignores requests after GOAWAY, with their bodies', async () => {
    const conversation = await converse(() => {});
    await conversation.send(getFrame(1));
    conversation.connection.close();
    await conversation.send(postFrame(3), data(3, 'body', frameFlag.endStream));
    expect([conversation.exchanges.length, resetsIn(conversation)]).toEqual([1, []]);
  });

  it('sends GOAWAY after an answer that closes the connection', async () => {
    const conversation = await converse((exchange) => exchange.respond({ ...bytes('ok'), closesConnection: true }));
    await conversation.send(getFrame(1), getFrame(3));
    const types = conversation.received().map(({ type }) => type);
    expect(types).toEqual([frameType.settings, headers, frameType.data, headers, frameType.data, goAway]);
    expect(conversation.line.writableEnded).toBe(true);
  });

  it('sends GOAWAY after answers that are ready', async () => {
    const conversation = await converse((exchange) => {
      conversation.connection.close();
      answerOk(exchange);
    });
    await conversation.send(getFrame(1));
    expect(conversation.received().map(({ type }) => type)).toEqual([frameType.settings, headers, frameType.data, goAway]);
  });

  it.each([
    [0.09, true],
    [0.1, false],
  ])('is closed with the configured probability: %d', async (random, isClosed) => {
    const conversation = await converse(answerOk, { goawayChance: 0.1, random: () => random });
    await conversation.send(getFrame(1));
    expect([bodyOf(conversation, 1).toString(), conversation.line.writableEnded]).toEqual(['ok', isClosed]);
  });

  it('closes after the last answer when the client sends GOAWAY', async () => {
    const conversation = await converse(() => {});
    await conversation.send(getFrame(1), frame(goAway, 0, 0, uint32(0, 0)));
    expect(conversation.line.writableEnded).toBe(false);
    conversation.exchanges[0]?.respond(ok);
    await quiet(conversation.line);
    expect(conversation.line.writableEnded).toBe(true);
  });

  it('closes when idle, not while in use', async () => {
    const conversation = await converse(() => {}, { idleTimeoutMs: 1000 });
    await conversation.send(getFrame(1));
    for (let i = 0; i < 20; i++) conversation.connection.check(250);
    expect(conversation.receivedOf(goAway)).toEqual([]);
    conversation.exchanges[0]?.respond(ok);
    await quiet(conversation.line);
    for (let i = 0; i < 3; i++) {
      for (let j = 0; j < 3; j++) conversation.connection.check(250);
      await conversation.send(frame(frameType.ping, 0, 0, Buffer.alloc(8)));
    }
    expect(conversation.line.writableEnded).toBe(false);
    for (let i = 0; i < 5; i++) conversation.connection.check(250);
    await quiet(conversation.line);
    expect(conversation.line.writableEnded).toBe(true);
  });

  it('closes when the client reads nothing for too long', async () => {
    const conversation = await converse(answerOk, { idleTimeoutMs: 1000 });
    conversation.line.stick();
    await conversation.send(getFrame(1));
    for (let i = 0; i < 5; i++) conversation.connection.check(250);
    expect(conversation.line.destroyed).toBe(true);
    expect(conversation.exchanges[0]?.isClosed).toBe(true);
  });

  it('keeps no copies of answers for a slow client', async () => {
    const conversation = await converse((exchange) => exchange.respond(bytes(Buffer.alloc(1000, exchange.id))));
    conversation.line.stick();
    await conversation.send(...Array.from({ length: 100 }, (_, i) => getFrame(2 * i + 1)));
    const written = conversation.line.written.length;
    conversation.line.loosen();
    await conversation.send(widen(0, 1 << 20));
    expect(bodyOf(conversation, 199)).toEqual(Buffer.alloc(1000, 199));
    expect(conversation.line.written.length - written).toBeLessThan(10);
  });
});
