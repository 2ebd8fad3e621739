import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import type { TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf } from './encode.ts';
import type { ProtobufField } from './layout.ts';
import { ProtobufError } from './reader.ts';

function type(name: string, ...fields: readonly ProtobufField[]): TypeDefinition {
  return { name: `test.${name}`, fields: new Map(fields.map((field) => [field.name, field])) };
}

const thing = type(
  'Thing',
  { name: 'name', number: 1, type: { is: 'string' }, omitempty: 'omit' },
  { name: 'required', number: 2, type: { is: 'string' }, required: true, default: '' },
  { name: 'count', number: 3, type: { is: 'int32' }, omitempty: 'omit' },
  { name: 'replicas', number: 4, type: { is: 'int32' }, omitempty: 'keep' },
  { name: 'big', number: 5, type: { is: 'int64' }, omitempty: 'keep' },
  { name: 'on', number: 6, type: { is: 'boolean' }, omitempty: 'keep' },
  { name: 'ratio', number: 7, type: { is: 'double' }, omitempty: 'keep' },
  { name: 'data', number: 8, type: { is: 'map', of: { is: 'bytes' } } },
  { name: 'created', number: 9, type: { is: 'time' }, omitempty: 'omit' },
  { name: 'seen', number: 10, type: { is: 'time' }, omitempty: 'zero' },
  { name: 'renewed', number: 11, type: { is: 'microTime' }, omitempty: 'keep' },
  { name: 'memory', number: 12, type: { is: 'quantity' }, omitempty: 'zero' },
  { name: 'port', number: 13, type: { is: 'intOrString' }, omitempty: 'zero' },
  { name: 'raw', number: 14, type: { is: 'any' } },
  { name: 'numbers', number: 15, type: { is: 'list', of: { is: 'int64' } } },
  { name: 'child', number: 16, type: { is: 'object', ref: 'test.Thing' } },
  { name: 'labels', number: 17, type: { is: 'map', of: { is: 'string' } } },
  { name: 'inner', number: 1, inlinedIn: [18], type: { is: 'string' }, omitempty: 'omit' },
  { name: 'deep', number: 2, inlinedIn: [18, 3], type: { is: 'string' }, omitempty: 'omit' },
  { name: 'extra', number: 19, wrapped: true, type: { is: 'map', of: { is: 'list', of: { is: 'string' } } } },
  { name: 'verbs', number: 20, wrapped: true, type: { is: 'list', of: { is: 'string' } } },
);
const catalogue: TypeCatalogue = { get: () => thing };
const decode = (hex: string, depth?: number) =>
  decodeProtobuf(Buffer.from(hex.replaceAll(' ', ''), 'hex'), thing, catalogue, depth === undefined ? undefined : { depth });

describe('decodeProtobuf', () => {
  it.each([
    ['a string', '0a 03 616263', { name: 'abc' }],
    ['an empty string with omitempty as absent', '0a 00', {}],
    ['an empty required string', '12 00', { required: '' }],
    ['zero with omitempty as absent', '18 00', {}],
    ['zero behind a pointer', '20 00 30 00', { replicas: 0, on: false }],
    ['a negative number', '20 ffffffffffffffffff01', { replicas: -1 }],
    ['a 64-bit integer that is exact as a number', '28 ffffffffffffff0f', { big: 9007199254740991 }],
    ['a 64-bit integer that is not exact as a number', '28 8080808080808010', { big: 9007199254740992n }],
    ['the smallest 64-bit integer', '28 80808080808080808001', { big: -9223372036854775808n }],
    ['a boolean with more than one bit', '30 8080808010', { on: true }],
    ['a double', '39 000000000000f83f', { ratio: 1.5 }],
    ['bytes', '42 07 0a0161 1202fffe', { data: { a: '//4=' } }],
    ['an entry without a value', '42 03 0a0161', { data: { a: '' } }],
    ['an entry without a key', '8a01 03 120161', { labels: { '': 'a' } }],
    ['the key __proto__', '8a01 0e 0a095f5f70726f746f5f5f 120161', { labels: JSON.parse('{"__proto__":"a"}') }],
    ['a time', '52 08 08caf2e8d706 1000', { seen: '2026-11-15T22:59:22Z' }],
    ['no time', '52 00', { seen: null }],
    ['no time with omitempty as absent', '4a 00', {}],
    ["Go's zero time as null", '52 0d 088092b8c398feffffff01 1000', { seen: null }],
    ['a time before the epoch', '52 0b 08ffffffffffffffffff01', { seen: '1969-12-31T23:59:59Z' }],
    ['microseconds', '5a 09 08caf2e8d706 10f86f', { renewed: '2026-11-15T22:59:22.000014Z' }],
    ['a quantity', '62 05 0a03313030', { memory: '100' }],
    ['no quantity', '62 00', { memory: '0' }],
    ['an IntOrString with a number', '6a 06 0800 1050 1a00', { port: 80 }],
    ['an IntOrString with a string', '6a 09 0801 1000 1a0368 7474', { port: 'htt' }],
    ['raw JSON', '72 09 0a07 7b2261223a317d', { raw: { a: 1 } }],
    ['no raw JSON', '72 00', { raw: null }],
    ['a list', '78 01 78 02', { numbers: [1, 2] }],
    ['a packed list', '7a 02 0102', { numbers: [1, 2] }],
    ['an object', '8201 03 0a0161', { child: { name: 'a' } }],
    ['an empty object', '8201 00', { child: {} }],
    ['an object split over two fields', '8201 03 0a0161 8201 03 120162', { child: { name: 'a', required: 'b' } }],
    ['the last of two values', '0a 01 61 0a 01 62', { name: 'b' }],
    ['a last value of zero as absent', '0a 01 61 0a 00', {}],
    ['inlined messages', '9201 08 0a0161 1a03 120162', { inner: 'a', deep: 'b' }],
    ['a wrapped list', '9a01 0a 0a0161 1205 0a0162 0a00 a201 03 0a0163', { extra: { a: ['b', ''] }, verbs: ['c'] }],
    ['past unknown fields', 'f806 01 fa06 01 00 f906 0000000000000000 fd06 00000000 fb06 0801 fb06 fc06 fc06', {}],
    ['invalid UTF-8', '0a 02 ff61', { name: '\ufffda' }],
  ])('reads %s', (_, hex, expected) => {
    expect(decode(hex)).toEqual(expected);
  });

  it.each([
    ['a truncated tag', '80', 'unexpected EOF'],
    ['a truncated string', '0a 02 61', 'unexpected EOF'],
    ['a truncated number', '18 80', 'unexpected EOF'],
    ['a message longer than its parent', '8201 02 0a01 61', 'unexpected EOF'],
    ['a length beyond 32 bits', '0a 8080808010', 'unexpected EOF'],
    ['a negative length', '0a ffffffffffffffffff01', 'proto: negative length found during unmarshaling'],
    ['a varint of eleven bytes', '18 ffffffffffffffffffff01', 'proto: integer overflow'],
    ['field number 0', '02 00', 'proto: Thing: illegal tag 0 (wire type 2)'],
    ['an end-group without start', '0c', 'proto: Thing: wiretype end group for non-group'],
    ['an unterminated group', 'fb06 0801', 'unexpected EOF'],
    ['a wire type that does not exist', 'fe06 00', 'proto: illegal wireType 6'],
    ['a string that is a number', '08 01', 'proto: wrong wireType = 0 for field Name'],
    ['a number that is a string', '1a 01 61', 'proto: wrong wireType = 2 for field Count'],
    ['a time that is a number', '52 02 0a00', 'proto: wrong wireType = 2 for field Seconds'],
    ['a time out of range', '52 0a 08ffffffffffffffff7f', 'a time must be between the years 0 and 9999'],
    ['NaN', '39 000000000000f87f', 'a number must be finite'],
    ['an IntOrString of unknown type', '6a 02 0802', 'impossible IntOrString.Type'],
    ['invalid raw JSON', '72 03 0a01 7b', 'raw JSON: unexpected end of JSON input'],
  ])('rejects %s', (_, hex, message) => {
    expect(() => decode(hex)).toThrow(new ProtobufError(message));
  });

  it('rejects messages that are nested too deeply', () => {
    const nested = (depth: number) => {
      let bytes = Buffer.alloc(0);
      for (let i = 0; i < depth; i++) {
        const length = [];
        for (let rest = bytes.length; ; rest >>>= 7) {
          length.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
          if (rest < 0x80) break;
        }
        bytes = Buffer.concat([Buffer.from([0x82, 0x01, ...length]), bytes]);
      }
      return bytes;
    };
    expect(decodeProtobuf(nested(1_000), thing, catalogue)).toHaveProperty('child.child.child');
    expect(() => decodeProtobuf(nested(1_001), thing, catalogue)).toThrow(new ProtobufError('exceeded max depth'));
    expect(() => decode('8201 02 8201 00', 1)).toThrow(ProtobufError);
  });
});

/** The fields written for every Thing: those that are not pointers in Go. */
const zeros = {
  start: '0a00 1200 1800',
  middle: '4a00 5200',
  end: '6203 0a0130 6a06 0800 1000 1a00',
  last: '9201 06 0a00 1a02 1200',
};
const bytesOf = (...parts: readonly string[]) => parts.join('').replaceAll(' ', '');
const encode = (object: JsonObject) => encodeProtobuf(object, thing, catalogue).toString('hex');

describe('encodeProtobuf', () => {
  const { start, middle, end, last } = zeros;
  it.each<[string, JsonObject, readonly string[]]>([
    ['values that are zero', {}, [start, middle, end, last]],
    ['null as absent', { name: null, replicas: null, data: null, child: null }, [start, middle, end, last]],
    ['pointers to zero', { replicas: 0, on: false }, [start, '2000 3000', middle, end, last]],
    ['negative numbers in ten bytes', { replicas: -1 }, [start, '20 ffffffffffffffffff01', middle, end, last]],
    ['numbers beyond 2^53', { big: 9223372036854775807n }, [start, '28 ffffffffffffffff7f', middle, end, last]],
    ['numbers beyond 2^32', { big: 4294967296 }, [start, '28 8080808010', middle, end, last]],
    ['a double', { ratio: 1.5 }, [start, '39 000000000000f83f', middle, end, last]],
    [
      'maps by the bytes of their keys',
      { data: { '\u{1f600}': '', '\ue000': 'AA==', a: null } },
      [start, '4203 0a0161 4208 0a03ee8080 120100 4208 0a04f09f9880 1200', middle, end, last],
    ],
    [
      'times',
      { created: '2026-11-15T22:59:22Z', seen: '1970-01-01T02:00:00.9+02:00', renewed: '2026-11-15T22:59:22.000014Z' },
      [start, '4a08 08caf2e8d706 1000 5204 0800 1000 5a09 08caf2e8d706 10b06d', end, last],
    ],
    ['quantities', { memory: '1Gi' }, [start, middle, '6205 0a03314769 6a06 0800 1000 1a00', last]],
    ['integers or strings', { port: 'http' }, [start, middle, '6203 0a0130 6a0a 0801 1000 1a0468747470', last]],
    ['raw JSON', { raw: { a: 1 } }, [start, middle, end, '72 09 0a07 7b2261223a317d', last]],
    ['lists', { numbers: [0, 1] }, [start, middle, end, '7800 7801', last]],
    ['inlined messages', { inner: 'a', deep: 'b' }, [start, middle, end, '9201 08 0a0161 1a03 120162']],
    [
      'lists in messages of their own',
      { extra: { a: ['b', ''] }, verbs: [] },
      [start, middle, end, last, '9a01 0a 0a0161 1205 0a0162 0a00 a201 00'],
    ],
  ])('writes %s', (_, object, parts) => {
    expect(encode(object)).toBe(bytesOf(...parts));
  });

  it('grows its buffer', () => {
    const data: Record<string, string> = {};
    for (let i = 0; i < 100; i++) data[`key-${i}`] = 'AAAA'.repeat(1_000 * i);
    const name = '\u00e9'.repeat(1_000_000);
    const bytes = encodeProtobuf({ data, name }, thing, catalogue);
    const decoded = decodeProtobuf(bytes, thing, catalogue);
    expect(decoded.name === name).toBe(true);
    expect(decoded.data).toEqual(data);
  });

  it.each<[string, JsonObject, string]>([
    ['a number for a string', { name: 1 }, 'cannot write number as a string'],
    ['a string for a number', { count: '1' }, 'cannot write string as an integer'],
    ['a fraction for an integer', { count: 1.5 }, 'cannot write number as an integer'],
    ['an object for a list', { numbers: {} }, 'cannot write object as a list'],
    ['a list for a map', { labels: [] }, 'cannot write a list as a map'],
    ['a string for an object', { child: 'a' }, 'cannot write string as an object'],
    ['invalid base64', { data: { a: 'AA!A' } }, 'illegal base64 data'],
    ['an invalid time', { seen: 'today' }, 'parsing time "today" as "2006-01-02T15:04:05Z07:00": cannot parse "today" as "2006"'],
  ])('rejects %s', (_, object, message) => {
    expect(() => encode(object)).toThrow(new ProtobufError(message));
    expect(encode({})).toBe(bytesOf(start, middle, end, last));
  });
});
