import { describe, expect, it } from 'vitest';
import { errorCode, frameFlag, frameType } from './protocol.ts';
import { answerOk, type Conversation, converse, goAwayCode, type Handle, resetsIn } from './testing/conversation.ts';
import {
  block,
  data,
  frame,
  getFrame,
  hello,
  postFrame,
  postLine,
  preface,
  requestLine,
  settings,
  uint32,
} from './testing/wire.ts';

const { headers, priority, reset, settings: settingsType, pushPromise, ping, goAway, windowUpdate, continuation } = frameType;
const { endStream, endHeaders, padded } = frameFlag;
const { protocol, flowControl, streamClosed, frameSize, compression, enhanceYourCalm, refusedStream } = errorCode;

/** Reads the body, then answers 200. */
const readAndAnswer: Handle = (exchange) => {
  exchange.body(1 << 20).then(
    () => answerOk(exchange),
    () => {},
  );
};
const silent: Handle = () => {};
const opened = [getFrame(1)];
const priorityOn = (stream: number) => Buffer.concat([uint32(stream), Buffer.of(10)]);
const request = block(...requestLine);

/** In the order of RFC 9113. */
const endings: readonly (readonly [rule: string, code: number, frames: readonly Buffer[], handle?: Handle])[] = [
  ['a frame larger than allowed', frameSize, [frame(headers, endHeaders | endStream, 1, Buffer.alloc(16_385))]],
  ['an invalid header block', compression, [frame(headers, endHeaders | endStream, 1, Buffer.of(0xff, 0xff, 0xff))]],
  [
    'another frame between HEADERS and CONTINUATION',
    protocol,
    [frame(headers, 0, 1, request), frame(ping, 0, 0, Buffer.alloc(8))],
  ],
  ['CONTINUATION on another stream', protocol, [frame(headers, 0, 1, request), frame(continuation, endHeaders, 3)]],
  ['DATA on an idle stream', protocol, [data(1, 'x', endStream)]],
  ['RST_STREAM on an idle stream', protocol, [frame(reset, 0, 1, uint32(8))]],
  ['WINDOW_UPDATE on an idle stream', protocol, [frame(windowUpdate, 0, 1, uint32(1))]],
  ['CONTINUATION without HEADERS', protocol, [frame(continuation, endHeaders, 1, request)]],
  ['HEADERS on a closed stream', streamClosed, [getFrame(1), getFrame(1)]],
  ['an even stream id', protocol, [getFrame(2)]],
  ['a decreasing stream id', protocol, [getFrame(5), getFrame(3)]],
  ['PRIORITY of an idle stream on itself', protocol, [frame(priority, 0, 1, priorityOn(1))]],
  ['DATA on stream 0', protocol, [data(0, 'x')]],
  ['DATA with too much padding', protocol, [postFrame(1), data(1, Buffer.of(9, 1, 2), padded)], silent],
  ['DATA without a pad length', protocol, [postFrame(1), frame(0, padded, 1)], silent],
  ['HEADERS on stream 0', protocol, [frame(headers, endHeaders | endStream, 0, request)]],
  ['HEADERS with too much padding', protocol, [frame(headers, endHeaders | padded, 1, Buffer.of(9, 1))]],
  ['HEADERS too short for its priority', frameSize, [frame(headers, endHeaders | frameFlag.priority, 1, Buffer.of(1))]],
  ['PRIORITY on stream 0', protocol, [frame(priority, 0, 0, priorityOn(1))]],
  ['RST_STREAM on stream 0', protocol, [frame(reset, 0, 0, uint32(8))]],
  ['RST_STREAM of three bytes', frameSize, [...opened, frame(reset, 0, 1, Buffer.alloc(3))]],
  ['SETTINGS ACK with a payload', frameSize, [frame(settingsType, frameFlag.acknowledge, 0, Buffer.alloc(6))]],
  ['SETTINGS on a stream', protocol, [frame(settingsType, 0, 1)]],
  ['SETTINGS of invalid length', frameSize, [frame(settingsType, 0, 0, Buffer.alloc(3))]],
  ['SETTINGS_ENABLE_PUSH of 2', protocol, [settings([2, 2])]],
  ['SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1', flowControl, [settings([4, 2 ** 31])]],
  ['SETTINGS_MAX_FRAME_SIZE below 16384', protocol, [settings([5, 16_383])]],
  ['SETTINGS_MAX_FRAME_SIZE above 2^24-1', protocol, [settings([5, 2 ** 24])]],
  ['PUSH_PROMISE', protocol, [frame(pushPromise, endHeaders, 1, Buffer.concat([uint32(2), request]))]],
  ['PING on a stream', protocol, [frame(ping, 0, 1, Buffer.alloc(8))]],
  ['PING of seven bytes', frameSize, [frame(ping, 0, 0, Buffer.alloc(7))]],
  ['GOAWAY on a stream', protocol, [frame(goAway, 0, 1, Buffer.alloc(8))]],
  ['GOAWAY of seven bytes', frameSize, [frame(goAway, 0, 0, Buffer.alloc(7))]],
  ['WINDOW_UPDATE with increment 0', protocol, [frame(windowUpdate, 0, 0, uint32(0))]],
  ['WINDOW_UPDATE of three bytes', frameSize, [frame(windowUpdate, 0, 0, Buffer.alloc(3))]],
  ['WINDOW_UPDATE beyond 2^31-1', flowControl, [frame(windowUpdate, 0, 0, uint32(2 ** 31 - 1))]],
  [
    'SETTINGS that widen the windows of streams beyond 2^31-1',
    flowControl,
    [getFrame(1), frame(windowUpdate, 0, 1, uint32(2 ** 31 - 65_536)), settings([4, 65_536])],
    silent,
  ],
  [
    'DATA beyond the connection window',
    flowControl,
    [
      postFrame(1),
      ...tooMuch(1, 16),
      postFrame(3),
      ...tooMuch(3, 16),
      postFrame(5),
      ...tooMuch(5, 16),
      postFrame(7),
      ...tooMuch(7, 17),
    ],
    silent,
  ],
];

function tooMuch(stream: number, frames: number): Buffer[] {
  return Array.from({ length: frames }, () => data(stream, Buffer.alloc(16_384)));
}

describe('connection error', () => {
  for (const [rule, code, frames, handle] of endings)
    it(rule, async () => {
      const conversation = await converse(handle);
      for (const each of frames) await conversation.send(each);
      expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([code]);
      await expect.poll(() => conversation.line.writableEnded).toBe(true);
      expect(conversation.errors).toEqual([]);
    });

  it.each([
    ['no preface', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a truncated preface, then something else', Buffer.from('PRI * HTTP/2.0\r\n\r\nSMTP')],
    ['no SETTINGS', Buffer.concat([preface, getFrame(1)])],
    ['SETTINGS ACK instead', Buffer.concat([preface, frame(settingsType, frameFlag.acknowledge, 0)])],
  ])('%s', async (_, opening) => {
    const conversation = await converse(answerOk, {}, opening);
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([protocol]);
  });
});

const resets: readonly (readonly [rule: string, code: number, frames: readonly Buffer[], handle?: Handle])[] = [
  ['DATA after END_STREAM', streamClosed, [postFrame(1), data(1, 'x', endStream), data(1, 'y')], silent],
  ['DATA after END_STREAM of HEADERS', streamClosed, [getFrame(1), data(1, 'x')], silent],
  ['HEADERS after END_STREAM', streamClosed, [getFrame(1), getFrame(1)], silent],
  [
    'PRIORITY of a stream on itself',
    protocol,
    [frame(headers, endHeaders | endStream | frameFlag.priority, 1, Buffer.concat([priorityOn(1), request]))],
  ],
  ['PRIORITY of four bytes', frameSize, [postFrame(1), frame(priority, 0, 1, uint32(3))], silent],
  ['WINDOW_UPDATE with increment 0', protocol, [postFrame(1), frame(windowUpdate, 0, 1, uint32(0))], silent],
  ['WINDOW_UPDATE beyond 2^31-1', flowControl, [postFrame(1), frame(windowUpdate, 0, 1, uint32(2 ** 31 - 1))], silent],
  ['trailers without END_STREAM', protocol, [postFrame(1), frame(headers, endHeaders, 1, block(['x', '1']))], silent],
  [
    'trailers with a pseudo-header field',
    protocol,
    [postFrame(1), frame(headers, endHeaders | endStream, 1, block([':method', 'GET']))],
    silent,
  ],
  ['a malformed request', protocol, [getFrame(1, ['X-Upper', '1'])]],
  ['content-length without a body', protocol, [getFrame(1, ['content-length', '1'])]],
  [
    'a body shorter than content-length',
    protocol,
    [postFrame(1, ['content-length', '3']), data(1, 'xx', endStream)],
    readAndAnswer,
  ],
  [
    'a body longer than content-length',
    protocol,
    [postFrame(1, ['content-length', '1']), data(1, 'x'), data(1, 'x')],
    readAndAnswer,
  ],
  ['DATA beyond the stream window', flowControl, [postFrame(1), ...tooMuch(1, 17)], silent],
];

describe('stream error', () => {
  for (const [rule, code, frames, handle] of resets)
    it(rule, async () => {
      const conversation = await converse(handle);
      await conversation.send(...frames);
      expect(resetsIn(conversation)).toEqual([[1, code]]);
      await stillServes(conversation);
    });

  it('more streams than MAX_CONCURRENT_STREAMS', async () => {
    const conversation = await converse(silent, { maxStreams: 3 });
    await conversation.send(getFrame(1), getFrame(3), getFrame(5), getFrame(7), getFrame(9));
    expect(resetsIn(conversation)).toEqual([
      [7, refusedStream],
      [9, refusedStream],
    ]);
    expect(conversation.exchanges).toHaveLength(3);
  });
});

async function stillServes({ send, receivedOf, exchanges }: Conversation): Promise<void> {
  await send(getFrame(101));
  expect(receivedOf(goAway)).toEqual([]);
  expect(exchanges.at(-1)?.id).toBe(101);
}

const trailers = frame(headers, endHeaders | endStream, 1, block(['checksum', '1']));
const continued = [
  frame(headers, endStream, 1, request.subarray(0, 10)),
  frame(continuation, 0, 1, request.subarray(10, 20)),
  frame(continuation, endHeaders, 1, request.subarray(20)),
];

describe('a request is answered', () => {
  it.each<[string, readonly Buffer[]]>([
    ['without a body', [getFrame(1)]],
    ['with a body', [postFrame(1), data(1, 'x', endStream)]],
    ['with an empty body', [postFrame(1), data(1, '', endStream)]],
    [
      'with padding',
      [
        frame(headers, endHeaders | padded, 1, Buffer.concat([Buffer.of(3), block(...postLine), Buffer.alloc(3)])),
        data(1, Buffer.of(2, 120, 0, 0), padded | endStream),
      ],
    ],
    [
      'with a priority',
      [frame(headers, endHeaders | endStream | frameFlag.priority, 1, Buffer.concat([priorityOn(3), request]))],
    ],
    ['in several frames', continued],
    ['in several frames, the first of them empty', [frame(headers, endStream, 1), frame(continuation, endHeaders, 1, request)]],
    ['with trailers', [postFrame(1), data(1, 'x'), trailers]],
    ['with content-length', [postFrame(1, ['content-length', '3']), data(1, 'xx'), data(1, 'x', endStream)]],
    ['among frames of unknown types', [frame(0x16, 0xff, 0, Buffer.alloc(8)), getFrame(1), frame(0xee, 0, 9)]],
    [
      'among PRIORITY frames',
      [
        frame(priority, 0, 1, priorityOn(3)),
        getFrame(1),
        frame(priority, 0, 1, priorityOn(3)),
        frame(priority, 0, 7, priorityOn(3)),
      ],
    ],
    ['among unknown settings', [settings([0xff, 1], [3, 0], [6, 10]), getFrame(1)]],
    ['with undefined flags and the reserved bit', [frame(headers, endHeaders | endStream | 0x42, 1 + 2 ** 31, request)]],
  ])('%s', async (_, frames) => {
    const conversation = await converse(readAndAnswer);
    await conversation.send(...frames);
    const [head, body] = conversation.received().filter(({ stream }) => stream === 1);
    expect([head?.type, head?.flags, head?.payload[0]]).toEqual([headers, endHeaders, 0x88]);
    expect([body?.type, body?.flags, String(body?.payload)]).toEqual([frameType.data, endStream, 'ok']);
    expect(resetsIn(conversation)).toEqual([]);
    expect(conversation.receivedOf(goAway)).toEqual([]);
  });

  it.each([1, 2, 7, 1000])('when it arrives in pieces of %d bytes', async (size) => {
    const conversation = await converse(readAndAnswer, {}, Buffer.alloc(0));
    const bytes = Buffer.concat([hello, postFrame(1), data(1, 'x'.repeat(300)), data(1, '', endStream), getFrame(3)]);
    for (let at = 0; at < bytes.length; at += size) conversation.line.push(bytes.subarray(at, at + size));
    await conversation.send(frame(ping, 0, 0, Buffer.from('12345678')));
    expect(conversation.receivedOf(headers).map(({ stream }) => stream)).toEqual(expect.arrayContaining([1, 3]));
  });
});

describe('replies', () => {
  it('PING', async () => {
    const conversation = await converse();
    await conversation.send(frame(ping, 0, 0, Buffer.from('12345678')), frame(ping, frameFlag.acknowledge, 0, Buffer.alloc(8)));
    const pings = conversation.receivedOf(ping);
    expect(pings.map(({ flags, payload }) => [flags, String(payload)])).toEqual([[frameFlag.acknowledge, '12345678']]);
  });

  it('SETTINGS', async () => {
    const conversation = await converse();
    await conversation.send(settings([4, 100]), settings());
    expect(conversation.receivedOf(settingsType).map(({ flags }) => flags)).toEqual([1, 1, 1]);
  });

  it('a header that is too large gets 431', async () => {
    const conversation = await converse(silent, { headerLimits: { bytes: 500, count: 10 } });
    await conversation.send(getFrame(1, ['x', 'y'.repeat(500)]), getFrame(3));
    const [head, body] = conversation.received().filter(({ stream }) => stream === 1);
    expect(head?.payload.toString('latin1')).toContain('431');
    expect(String(body?.payload)).toContain('Too Large');
    expect(conversation.exchanges.map(({ id }) => id)).toEqual([3]);
  });

  it('Expect: 100-continue', async () => {
    const conversation = await converse(readAndAnswer);
    await conversation.send(postFrame(1, ['expect', '100-continue']));
    expect(conversation.receivedOf(headers).map(({ flags, payload }) => [flags, String(payload.subarray(2))])).toEqual([
      [endHeaders, '100'],
    ]);
    await conversation.send(data(1, 'x', endStream));
    expect(conversation.receivedOf(headers)).toHaveLength(2);
  });
});

describe('attacks', () => {
  const many = (count: number, one: (i: number) => Buffer) => Buffer.concat(Array.from({ length: count }, (_, i) => one(i)));

  it('streams that are reset at once never reach a handler, and finally close the connection (rapid reset)', async () => {
    const conversation = await converse();
    const bytes = many(2000, (i) => Buffer.concat([getFrame(2 * i + 1), frame(reset, 0, 2 * i + 1, uint32(8))]));
    await conversation.send(bytes);
    expect(conversation.exchanges).toEqual([]);
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([enhanceYourCalm]);
  });

  const onStream = (id: number) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt32BE(id, 5);
    // The payload of PRIORITY is the stream that it depends on.
    if (copy.readUInt8(3) === headers && (copy.readUInt8(4) & frameFlag.priority) !== 0) copy.writeUInt32BE(id, 9);
    return copy;
  };

  /** CVE-2025-8671. */
  for (const [rule, _code, frames, handle] of resets)
    it(`resets that a client provokes are limited like its own: ${rule}`, async () => {
      const conversation = await converse(handle);
      const count = 1500;
      for (let i = 0; i < count; i += 20) {
        const ids = Array.from({ length: 20 }, (_, j) => 2 * (i + j) + 1);
        await conversation.send(...ids.flatMap((id) => frames.map(onStream(id))));
      }
      expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([enhanceYourCalm]);
      expect(resetsIn(conversation).length).toBeLessThan(1500);
      expect(conversation.exchanges.every(({ isClosed }) => isClosed)).toBe(true);
    });

  it('endless streams above MAX_CONCURRENT_STREAMS', async () => {
    const conversation = await converse(silent, { maxStreams: 3 });
    await conversation.send(many(1100, (i) => getFrame(2 * i + 1)));
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([enhanceYourCalm]);
  });

  it.each<[string, Buffer]>([
    ['pings', many(12_000, () => frame(ping, 0, 0, Buffer.alloc(8)))],
    ['SETTINGS', many(12_000, () => settings([4, 1000]))],
    ['PRIORITY', many(12_000, () => frame(priority, 0, 1, priorityOn(3)))],
    ['frames of unknown types', many(12_000, () => frame(0x20, 0, 0))],
    ['empty DATA', Buffer.concat([postFrame(1), many(12_000, () => data(1, ''))])],
    ['malformed requests', many(12_000, (i) => getFrame(2 * i + 1, ['X', '1']))],
    ['RST_STREAM on closed streams', Buffer.concat([getFrame(1), many(12_000, () => frame(reset, 0, 1, uint32(8)))])],
    [
      'WINDOW_UPDATE on closed streams',
      Buffer.concat([getFrame(1), frame(reset, 0, 1, uint32(8)), many(12_000, () => frame(windowUpdate, 0, 1, uint32(1)))]),
    ],
    ['CONTINUATION', Buffer.concat([frame(headers, 0, 1, request), many(200, () => frame(continuation, 0, 1))])],
    [
      'a header block without an end',
      Buffer.concat([frame(headers, 0, 1, request), many(80, () => frame(continuation, 0, 1, Buffer.alloc(16_384)))]),
    ],
  ])('endless %s', async (_, bytes) => {
    const conversation = await converse(silent);
    await conversation.send(bytes);
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([enhanceYourCalm]);
    expect(conversation.exchanges.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it('a client that does not read its answers is disconnected', async () => {
    const conversation = await converse();
    conversation.line.stick();
    for (let i = 0; i < 30; i++) await conversation.send(many(400, () => frame(ping, 0, 0, Buffer.alloc(8))));
    await expect.poll(() => conversation.line.destroyed, { timeout: 5000 }).toBe(true);
  });

  it('an HPACK bomb is rejected, and the connection closed', async () => {
    const conversation = await converse();
    const bomb = Buffer.concat([
      Buffer.of(0x82, 0x87, 0x84, 0x40, 1, 0x61, 0x7f, 0xa1, 0x1e),
      Buffer.alloc(4000, 'x'),
      Buffer.alloc(10_000, 0xbe),
    ]);
    await conversation.send(frame(headers, endHeaders | endStream, 1, bomb), getFrame(3));
    expect(conversation.exchanges.map(({ id }) => id)).toEqual([3]);
    expect(conversation.receivedOf(goAway).map(goAwayCode)).toEqual([0]);
  });

  it('an incomplete preface or header block times out', async () => {
    const unfinished = [Buffer.alloc(0), preface, Buffer.concat([hello, frame(headers, 0, 1, request)])];
    for (const opening of unfinished) {
      const conversation = await converse(silent, { headerTimeoutMs: 1000 }, opening);
      for (let i = 0; i < 4; i++) conversation.connection.check(250);
      expect(conversation.line.destroyed).toBe(false);
      conversation.connection.check(250);
      expect(conversation.line.destroyed).toBe(true);
    }
  });
});
