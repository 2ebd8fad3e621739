import { describe, expect, it } from 'vitest';
import { JsonSyntaxError } from './errors.ts';
import { parseExactly } from './exact-parser.ts';
import { isNumberLiteral, NumberLiteral } from './number-literal.ts';
import { parseJson } from './parse.ts';
import { strictErrors } from './strict-errors.ts';
import { stringifyJson } from './stringify.ts';
import type { JsonObject } from './value.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseJson(bytesOf(text));

/** A linear congruential generator: the same numbers for the same seed. */
function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function messageOf(bytes: Uint8Array): string {
  try {
    parseJson(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(JsonSyntaxError);
    return (error as Error).message;
  }
  return 'no error';
}

describe('values', () => {
  it.each([
    ['1', 1],
    ['12.5', 12.5],
    ['1e3', 1000],
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['123456789012345678901234567890', 1.2345678901234568e29],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\ud800"', '\ufffd'],
    ['"\\ude00x"', '\ufffdx'],
    ['"\\u0041\\n\\/"', 'A\n/'],
    [' [true , false, null] ', [true, false, null]],
    ['{"a":{"b":[]}}', { a: { b: [] } }],
  ])('%s', (text, value) => {
    expect(parse(text)).toEqual({ value, duplicates: [] });
  });

  it.each([
    ['1', 1],
    ['-0', -0],
    ['9007199254740993', 9007199254740993n],
    ['1.0', new NumberLiteral(1, '1.0')],
    ['1.50', new NumberLiteral(1.5, '1.50')],
    ['1E2', new NumberLiteral(100, '1E2')],
    ['99999999999999999999', new NumberLiteral(1e20, '99999999999999999999')],
    ['1e400', new NumberLiteral(Infinity, '1e400')],
  ])('%s as a number literal', (text, value) => {
    const parsed = parseJson(bytesOf(`{"a":[${text},"1.0"]}`), { numbers: 'typed' });
    expect(parsed.value).toEqual({ a: [value, '1.0'] });
    expect(parsed.hasNumberLiterals).toBe(isNumberLiteral(value) ? true : undefined);
    expect(stringifyJson(parsed.value)).toBe(`{"a":[${text === '-0' ? '0' : text},"1.0"]}`);
  });

  it('a number at the root is plain', () => {
    expect(parseJson(bytesOf('1.0'), { numbers: 'literal' }).value).toBe(1);
  });

  it('keeps __proto__ as a key on both paths', () => {
    for (const text of ['{"__proto__":{"polluted":1}}', '{"__proto__":{"polluted":1},"n":9007199254740993}']) {
      const value = parse(text).value as JsonObject;
      expect(Object.hasOwn(value, '__proto__')).toBe(true);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('replaces every invalid byte by U+FFFD', () => {
    expect(parseJson(Uint8Array.of(0x22, 0xe2, 0x82, 0x61, 0xff, 0x22)).value).toBe('\ufffd\ufffda\ufffd');
    expect(parseJson(Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)).value).toBe('\ufffd\ufffd\ufffd');
  });

  it('keeps a U+FFFD that was sent', () => {
    expect(parse('"\ufffd€😀"').value).toBe('\ufffd€😀');
  });
});

describe('duplicates', () => {
  it.each([
    ['{"a":1,"a":2}', ['a']],
    ['{"a":1,"a":2,"a":3}', ['a']],
    ['{"data":{"a":"x","b":"y","a":"z"}}', ['data.a']],
    ['{"spec":{"containers":[{"env":1},{"env":1,"env":2}]}}', ['spec.containers[1].env']],
    ['[{"a":1,"a":2}]', ['[0].a']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
    ['{"":{"a":{"b":1,"b":2}}}', ['.a.b']],
    [`{"a":"${'x'.repeat(100)}","b":"${'\\n'.repeat(100)}","b":"${'y'.repeat(60)}\\""}`, ['b']],
    ['{"a":{"q\\"":1,"q\\"":2}}', ['a.q\\"']],
  ])('%s', (text, paths) => {
    expect(parse(text).duplicates).toEqual(paths.map((path) => `duplicate field "${path}"`));
  });

  it('are the same with JSON.parse and with the exact parser', () => {
    const random = randomNumbers(7);
    const keys = ['"a"', '"b"', '"\\u0061"', '"é"', '"\\u00e9"', '"q\\""', '"__proto__"'];
    const value = (depth: number): string => {
      const count = random(12);
      const kind = depth > 3 ? 2 : random(3);
      if (kind === 0)
        return `{${Array.from({ length: count }, () => `${keys[random(keys.length)]}:${value(depth + 1)}`).join(', ')}}`;
      if (kind === 1) return `[ ${Array.from({ length: count }, () => value(depth + 1)).join(',')} ]`;
      return ['1', 'null', '"{,}[]:"', '"\\""'][random(4)] as string;
    };
    for (let i = 0; i < 500; i++) {
      const text = bytesOf(value(0));
      const { value: read, duplicates } = parseJson(text);
      expect({ value: read, duplicates }).toEqual(parseExactly(text, 1000, 'plain'));
    }
  });

  it('takes the last value', () => {
    expect(parse('{"a":1,"b":2,"a":3}').value).toEqual({ a: 3, b: 2 });
  });

  it.each([
    ['{"a":{"b":1,"b":1},"c":1}', ['c'], ['duplicate field "a.b"', 'unknown field "c"']],
    ['{"c":1,"a":{"b":1,"b":1}}', ['c'], ['unknown field "c"', 'duplicate field "a.b"']],
    ['{"a":1,"c":1,"a":2,"d":1}', ['c', 'd'], ['unknown field "c"', 'duplicate field "a"', 'unknown field "d"']],
    ['{"a":{"b":1,"b":1}}', ['a'], ['unknown field "a"']],
    ['{"a":[{"b":1,"b":1}]}', ['a'], ['unknown field "a"']],
    ['{"ab":{"c":1,"c":1},"a":1}', ['a'], ['duplicate field "ab.c"', 'unknown field "a"']],
    ['{"a":1,"a":2}', ['a'], ['unknown field "a"']],
    ['{"l":[{"x":1},{"y":1,"z":1,"y":1}]}', ['l[1].z'], ['unknown field "l[1].z"', 'duplicate field "l[1].y"']],
    ['{"m":{"u.v":1,"a.b":1,"a.b":1}}', ['m.u.v'], ['unknown field "m.u.v"', 'duplicate field "m.a.b"']],
  ])('%s with unknown %j', (text, unknown, expected) => {
    const { duplicates } = parse(text);
    const found = unknown.map((field) => `unknown field "${field}"`);
    expect(strictErrors(duplicates, found, Buffer.from(text))).toEqual(expected);
  });

  it('orders only the errors at the beginning of a large text', () => {
    const many = Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`).join();
    const text = Buffer.from(`{"u":1,"a":1,"a":2,${many},"v":1}`);
    expect(strictErrors(['duplicate field "a"'], ['unknown field "v"', 'unknown field "u"'], text)).toEqual([
      'unknown field "u"',
      'duplicate field "a"',
      'unknown field "v"',
    ]);
  });
});

describe('errors', () => {
  it.each([
    ['', 'unexpected end of JSON input'],
    ['{"kind":"ConfigMap","metadata":{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['"a', 'unexpected end of JSON input'],
    ['"\\', "invalid character ' ' in string escape code"],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['{"a"}', "invalid character '}' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} {}', "invalid character '{' after top-level value"],
    ['trux', "invalid character 'x' in literal true (expecting 'e')"],
    ['nul', "invalid character ' ' in literal null (expecting 'l')"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['01', "invalid character '1' after top-level value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"a\u0000b"', "invalid character '\\x00' in string literal"],
    ['1e400', 'json: cannot unmarshal number 1e400 into Go value of type float64'],
  ])('%j', (text, message) => {
    expect(messageOf(bytesOf(text))).toBe(message);
  });
});

describe('nesting', () => {
  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('of %s is limited', (open, close) => {
    const nested = (depth: number) => bytesOf(`${open.repeat(depth)}${open === '[' ? '' : '1'}${close.repeat(depth)}`);
    expect(messageOf(nested(1_000))).toBe('no error');
    expect(messageOf(nested(1_001))).toBe(`invalid character '${open[0]}' exceeded max depth`);
    expect(messageOf(bytesOf(open.repeat(1_000_000)))).toBe(`invalid character '${open[0]}' exceeded max depth`);
    expect(() => parseJson(nested(9_000), { limits: { depth: 10_000 } })).not.toThrow();
  });
});
