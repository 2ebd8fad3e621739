import { describe, expect, it } from 'vitest';
import { parseJson } from './parse.ts';
import { sortKeys, stringifyJson, stringifyJsonPretty } from './stringify.ts';
import { deepCopy, deepEqual, getKey, type JsonObject, type JsonValue, setKey } from './value.ts';

function withProto(value: JsonValue): JsonObject {
  const object: JsonObject = { a: 1 };
  setKey(object, '__proto__', value);
  return object;
}

describe('stringifyJson', () => {
  it.each<[JsonValue, string]>([
    [{ a: '<b>&' }, '{"a":"\\u003cb\\u003e\\u0026"}'],
    ['\u2028\u2029', '"\\u2028\\u2029"'],
    [{ n: 9223372036854775807n, l: [1n, null, 'x'] }, '{"n":9223372036854775807,"l":[1,null,"x"]}'],
    [{ a: [], b: {} }, '{"a":[],"b":{}}'],
    [withProto({ b: 1n }), '{"a":1,"__proto__":{"b":1}}'],
    ['\b\f\u0001', '"\\b\\f\\u0001"'],
  ])('%#', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it('pretty-prints', () => {
    expect(stringifyJsonPretty({ a: [1, {}], b: {}, c: '<' })).toBe(
      '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": {},\n  "c": "\\u003c"\n}',
    );
  });
});

describe('deep values', () => {
  const nested = (depth: number, innermost: JsonValue): JsonValue => {
    let value = innermost;
    for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { a: value } : [value];
    return value;
  };
  const deep = nested(990, Array(20_000).fill(9007199254740993n));

  it.each([
    ['pretty', stringifyJsonPretty],
    ['plain', stringifyJson],
  ])('produce output proportional to their size: %s', (_form, stringify) => {
    const began = performance.now();
    const text = stringify(deep);
    expect(performance.now() - began).toBeLessThan(1000);
    expect(text.length).toBeLessThan(1 << 20);
    expect(parseJson(Buffer.from(text)).value).toEqual(deep);
  });
});

describe('sortKeys', () => {
  it('sorts at every level', () => {
    expect(stringifyJson(sortKeys({ b: [{ d: 1, c: 2 }], a: {} }))).toBe('{"a":{},"b":[{"c":2,"d":1}]}');
  });
});

describe('deepCopy', () => {
  it('shares nothing and keeps __proto__ a key', () => {
    const original = { list: [{ a: 1 }], nested: withProto({ polluted: true }) };
    const copy = deepCopy(original);
    expect(deepEqual(copy, original)).toBe(true);
    expect(copy.list[0]).not.toBe(original.list[0]);
    expect(getKey(copy.nested, '__proto__')).toEqual({ polluted: true });
    expect(getKey(copy.nested, 'toString')).toBeUndefined();
  });
});

describe('deepEqual', () => {
  it.each<[JsonValue | undefined, JsonValue | undefined, boolean]>([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, undefined, false],
    [null, {}, false],
    [1, 1n, true],
    [1, '1', false],
    [{ a: undefined as unknown as JsonValue }, { b: 1 }, false],
    [withProto(1), withProto(1), true],
    [withProto(1), withProto(2), false],
    [{ a: 1, toString: 1 }, { a: 1, b: 1 }, false],
  ])('%#', (a, b, expected) => {
    expect(deepEqual(a, b)).toBe(expected);
    expect(deepEqual(b, a)).toBe(expected);
  });
});
