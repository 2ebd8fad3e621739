import { describe, expect, it } from 'vitest';
import { HeaderDecoder } from './header-decoder.ts';
import { decodeHuffman } from './huffman.ts';
import { block, hpackInteger } from './testing/wire.ts';

const limits = { bytes: 1 << 20, count: 1000 };
const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');
const decode = (decoder: HeaderDecoder, bytes: Buffer) => decoder.decode(bytes, 0, bytes.length);
const one = (bytes: Buffer) => decode(new HeaderDecoder(limits), bytes);
const tableOf = ({ table }: HeaderDecoder) =>
  Array.from({ length: table.count }, (_, i) => {
    const field = table.at(i);
    return `${field?.name.text}: ${field?.value}`;
  });

/** RFC 7541, C.3 and C.4: the same three requests, plain and compressed. */
const requests = {
  plain: [
    '8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d',
    '8286 84be 5808 6e6f 2d63 6163 6865',
    '8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65',
  ],
  compressed: [
    '8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff',
    '8286 84be 5886 a8eb 1064 9cbf',
    '8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf',
  ],
};

/** C.5 and C.6: responses, with a table of 256 bytes and evictions. */
const answers = {
  plain: [
    `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e
     1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`,
    '4803 3330 37c1 c0bf',
    `88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d
     4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572
     7369 6f6e 3d31`,
  ],
  compressed: [
    `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b
     97c8 e9ae 82ae 43d3`,
    '4883 640e ffc1 c0bf',
    `88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf
     cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07`,
  ],
};

describe('the examples of RFC 7541', () => {
  it.each(Object.entries(requests))('requests, %s', (_, blocks) => {
    const decoder = new HeaderDecoder(limits);
    const [first, second, third] = blocks.map((each) => decode(decoder, hex(each)));
    expect(first).toMatchObject({ method: 'GET', scheme: 'http', path: '/', authority: 'www.example.com', lines: [] });
    expect(second?.lines).toEqual(['cache-control', 'no-cache']);
    expect(third).toMatchObject({ scheme: 'https', path: '/index.html', lines: ['custom-key', 'custom-value'] });
    expect(tableOf(decoder)).toEqual(['custom-key: custom-value', 'cache-control: no-cache', ':authority: www.example.com']);
    expect(decoder.table.bytes).toBe(164);
  });

  it.each(Object.entries(answers))('answers, %s', (_, blocks) => {
    const decoder = new HeaderDecoder(limits);
    decode(decoder, hex('3fe1 01'));
    decode(decoder, hex(blocks[0] as string));
    expect(decoder.table.bytes).toBe(222);
    decode(decoder, hex(blocks[1] as string));
    expect(tableOf(decoder)[0]).toBe(':status: 307');
    expect(tableOf(decoder)).toHaveLength(4);
    decode(decoder, hex(blocks[2] as string));
    expect(tableOf(decoder)).toEqual([
      'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
      'content-encoding: gzip',
      'date: Mon, 21 Oct 2013 20:13:22 GMT',
    ]);
    expect(decoder.table.bytes).toBe(215);
  });

  it.each([
    ['not indexed', '040c 2f73 616d 706c 652f 7061 7468', { path: '/sample/path' }],
    ['never indexed', '1008 7061 7373 776f 7264 0673 6563 7265 74', { lines: ['password', 'secret'] }],
  ])('literals that are %s do not change the table', (_, bytes, fields) => {
    const decoder = new HeaderDecoder(limits);
    expect(decode(decoder, hex(bytes))).toMatchObject(fields);
    expect(decoder.table.count).toBe(0);
  });
});

describe('numbers', () => {
  it.each([10, 126, 127, 128, 1337, 16_384, 1_000_000])('%d is read back', (length) => {
    expect(one(block(['x', 'v'.repeat(length)])).lines).toEqual(['x', 'v'.repeat(length)]);
  });
});

describe('invalid blocks are connection errors', () => {
  it.each([
    ['index 0', '80'],
    ['an index beyond both tables', 'bf'],
    ['a name beyond both tables', '7f 20 01 61'],
    ['an integer that does not end', 'ff ff ff ff ff ff ff ff'],
    ['a truncated integer', 'ff'],
    ['a truncated string', '00 05 61 62'],
    ['a missing string', '00 01 61'],
    ['a table size update after a field', '82 20'],
    ['a table size above the limit', '3f e2 1f'],
    ['Huffman padding of zeros', '00 81 18 01 61'],
    ['Huffman padding of a whole byte', '00 83 1f ff ff 01 61'],
    ['EOS in a Huffman string', '00 84 ff ff ff ff 01 61'],
  ])('%s', (_, bytes) => {
    expect(() => one(hex(bytes))).toThrow(expect.objectContaining({ code: 9 }));
  });
});

describe('Huffman coding', () => {
  it('has a code for every byte', () => {
    const into = Buffer.alloc(2 * everyByte.length);
    expect(decodeHuffman(everyByte, 0, everyByte.length, into)).toBe(256);
    expect([...into.subarray(0, 256)]).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
  });
});

/** All 256 bytes in order, encoded by another implementation. */
const everyByte = hex(
  `ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfffffebfffffecfffffedffff
     feefffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdffffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1
     febfafefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff47
     19242cb34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7
     ffff73fffeeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9ffff
     fbffffdafffeeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0ffff17fffed
     ffff87ffff77fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3ffff3fffff2ffffa3ffffd9fffff17ffff
     c7fffff27ffffdefffffbffffff2fffff8fffffb7fff97fff8fffffe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4fffff
     fefffffe3fffffc9fffff97fffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffffa7ffff
     d7fffff9bffffecfffffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7ffffff0fffffbbf`,
);

describe('the dynamic table', () => {
  it('grows, and evicts the oldest when it is full', () => {
    const decoder = new HeaderDecoder(limits);
    const add = (name: string, value: string) =>
      decode(
        decoder,
        Buffer.concat([Buffer.of(0x40, name.length), Buffer.from(name), hpackInteger(value.length, 127), Buffer.from(value)]),
      );
    for (let i = 100; i < 300; i++) add(`name-${i}`, 'v');
    expect(decoder.table.bytes).toBeLessThanOrEqual(4096);
    expect(decoder.table.count).toBe(Math.floor(4096 / 41));
    expect(tableOf(decoder)[0]).toBe('name-299: v');
    add('huge', 'x'.repeat(5000));
    expect(decoder.table.count).toBe(0);
  });

  it('determines the meaning of a repeated block', () => {
    const decoder = new HeaderDecoder(limits);
    decode(decoder, hex('40 01 61 01 31'));
    const block = hex('be');
    const first = decode(decoder, block);
    expect(decode(decoder, block)).toBe(first);
    decode(decoder, hex('40 01 62 01 32'));
    expect(decode(decoder, block).lines).toEqual(['b', '2']);
    decode(decoder, hex('20 3f e1 1f'));
    expect(() => decode(decoder, block)).toThrow();
  });
});

describe('the block cache', () => {
  it('pauses for clients whose blocks do not repeat, and resumes', () => {
    const decoder = new HeaderDecoder(limits);
    for (let i = 0; i < 6000; i++) expect(decode(decoder, block(['x', String(i)])).lines[1]).toBe(String(i));
    const same = block(['x', 'same']);
    for (let i = 0; i < 5000; i++) decode(decoder, same);
    expect(decode(decoder, same)).toBe(decode(decoder, same));
  });
});

describe('limits', () => {
  it('a header list that expands beyond the limit is truncated (HPACK bomb)', () => {
    const decoder = new HeaderDecoder(limits);
    decode(decoder, Buffer.concat([hex('40 01 61'), hpackInteger(4000, 127), Buffer.alloc(4000, 'x')]));
    const fields = decode(decoder, Buffer.alloc(100_000, 0xbe));
    expect(fields.isTooLarge).toBe(true);
    expect(fields.lines.length).toBeLessThan(600);
  });

  it('so is one with too many fields', () => {
    const fields = one(block(...Array.from({ length: 2000 }, (_, i) => [`x-${i}`, 'v'] as const)));
    expect(fields.isTooLarge).toBe(true);
    expect(fields.lines).toHaveLength(2000);
  });
});

describe('fields', () => {
  const line = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':path', '/'],
  ] as const;

  it.each<[string, (readonly [string, string])[], boolean]>([
    ['the required pseudo-header fields', [...line], true],
    ['te: trailers', [...line, ['te', 'trailers']], true],
    ['bytes beyond ASCII', [...line, ['x', 'caf\xe9']], true],
    [
      'OPTIONS *',
      [
        [':method', 'OPTIONS'],
        [':scheme', 'https'],
        [':path', '*'],
      ],
      true,
    ],
    [
      'CONNECT',
      [
        [':method', 'CONNECT'],
        [':authority', 'a:1'],
      ],
      true,
    ],
    [
      'CONNECT with a path',
      [
        [':method', 'CONNECT'],
        [':authority', 'a:1'],
        [':path', '/'],
      ],
      false,
    ],
    ['no method', line.slice(1), false],
    ['an empty method', [[':method', ''], ...line.slice(1)], false],
    ['no scheme', [line[0], line[2]], false],
    ['no path', line.slice(0, 2), false],
    ['an empty path', [...line.slice(0, 2), [':path', '']], false],
    ['a path without a slash', [...line.slice(0, 2), [':path', 'livez']], false],
    ['two methods', [...line, [':method', 'GET']], false],
    ['a status', [...line, [':status', '200']], false],
    ['an unknown pseudo-header field', [...line, [':protocol', 'x']], false],
    ['a pseudo-header field after regular ones', [['x', '1'], ...line], false],
    ['capitals in a name', [...line, ['X', '1']], false],
    ['a space in a name', [...line, ['x y', '1']], false],
    ['a colon in a name', [...line, ['x:', '1']], false],
    ['no name', [...line, ['', '1']], false],
    ['LF in a value', [...line, ['x', 'a\nb']], false],
    ['NUL in a value', [...line, ['x', 'a\0b']], false],
    ['a space before a value', [...line, ['x', ' a']], false],
    ['a tab after a value', [...line, ['x', 'a\t']], false],
    ['a connection header', [...line, ['connection', 'close']], false],
    ['transfer-encoding', [...line, ['transfer-encoding', 'chunked']], false],
    ['upgrade', [...line, ['upgrade', 'h2c']], false],
    ['te: gzip', [...line, ['te', 'gzip']], false],
    ['an invalid content-length', [...line, ['content-length', '1e3']], false],
    ['two different content-lengths', [...line, ['content-length', '1'], ['content-length', '2']], false],
    ['two equal content-lengths', [...line, ['content-length', '1'], ['content-length', '1']], true],
  ])('%s', (_, fields, isRequest) => {
    expect(one(block(...fields)).isRequest).toBe(isRequest);
  });

  it.each([
    ['accept', 'a'],
    ['cookie', 'a'],
    ['authorization', 'a'],
    ['none', undefined],
  ])('sent twice: %s', (name, value) => {
    const fields = one(
      block(
        ...line,
        ...(value
          ? ([
              [name, 'a'],
              [name, 'b'],
            ] as const)
          : []),
      ),
    );
    expect(fields.value(name)).toBe(value);
  });
});
