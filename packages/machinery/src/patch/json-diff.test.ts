import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../../../tests/support/random-object.ts';
import { deepCopy, type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import { jsonDiff } from './json-diff.ts';
import { jsonPatch } from './json-patch.ts';

const proto = (value: JsonValue): JsonObject => {
  const object: JsonObject = {};
  setKey(object, '__proto__', value);
  return object;
};

describe('jsonDiff', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['equal documents', { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ['another order of keys', { a: 1, b: 2 }, { b: 2, a: 1 }, []],
    ['an added field', {}, { a: { b: 1 } }, [{ op: 'add', path: '/a', value: { b: 1 } }]],
    ['a removed field', { a: 1, b: 2 }, { b: 2 }, [{ op: 'remove', path: '/a' }]],
    ['a changed field', { a: { b: 1 } }, { a: { b: 2 } }, [{ op: 'replace', path: '/a/b', value: 2 }]],
    ['a field that becomes null', { a: 1 }, { a: null }, [{ op: 'replace', path: '/a', value: null }]],
    ['another type', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    ['another root', [1], { a: 1 }, [{ op: 'replace', path: '', value: { a: 1 } }]],
    [
      'escaped keys',
      {},
      { 'a/b~c': 1, '': 2 },
      [
        { op: 'add', path: '/a~1b~0c', value: 1 },
        { op: 'add', path: '/', value: 2 },
      ],
    ],
    ['an appended element', ['a'], ['a', 'b'], [{ op: 'add', path: '/1', value: 'b' }]],
    ['an inserted element', ['a', 'c'], ['a', 'b', 'c'], [{ op: 'add', path: '/1', value: 'b' }]],
    [
      'removed elements',
      ['a', 'b', 'c', 'd', 'e'],
      ['a', 'c', 'e'],
      [
        { op: 'remove', path: '/3' },
        { op: 'remove', path: '/1' },
      ],
    ],
    [
      'a changed element among others',
      [{ n: 'a' }, { n: 'b', v: 1 }],
      [{ n: 'a' }, { n: 'b', v: 2 }],
      [{ op: 'replace', path: '/1/v', value: 2 }],
    ],
    ['64-bit integers', { a: 2n ** 60n }, { a: 2n ** 60n + 1n }, [{ op: 'replace', path: '/a', value: 2n ** 60n + 1n }]],
    ['the key __proto__', proto({ a: 1 }), proto({ a: 2 }), [{ op: 'replace', path: '/__proto__/a', value: 2 }]],
    ['an added key __proto__', {}, proto(1), [{ op: 'add', path: '/__proto__', value: 1 }]],
    ['the key constructor', {}, { constructor: 1 } as unknown as JsonObject, [{ op: 'add', path: '/constructor', value: 1 }]],
  ])('%s', (_, before, after, patch) => {
    expect(jsonDiff(before, after)).toEqual(patch);
    expect(jsonPatch(before, patch)).toEqual(after);
  });

  it('is a patch that gives the changed document, for 3,000 random changes', () => {
    for (let seed = 0; seed < 3000; seed++) {
      const below = randomNumbers(seed);
      const random = () => below(1e6) / 1e6;
      const before = { root: randomValue(random, 4) };
      const after = { root: changed(random, deepCopy(before.root)) };
      const patch = jsonDiff(before, after) as JsonValue;
      expect({ seed, document: jsonPatch(before, patch) }).toEqual({ seed, document: after });
    }
  });

  it('takes little time for long lists without a common element', () => {
    const before = Array.from({ length: 20_000 }, (_, i) => `a${i}`);
    const after = Array.from({ length: 20_000 }, (_, i) => `b${i}`);
    expect(jsonDiff(before, after)).toHaveLength(20_000);
  }, 5000);
});

type Random = () => number;

const keys = ['a', 'b/c', '~', '~1', '', '0', '-', '__proto__', 'constructor'];

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

function randomValue(random: Random, depth: number): JsonValue {
  const form = depth === 0 ? 0 : Math.floor(random() * 3);
  if (form === 0) return pick<JsonValue>(random, [null, true, 0, 1, -1.5, 'x', 'y', 2n ** 60n]);
  const size = Math.floor(random() * 6);
  if (form === 1) return Array.from({ length: size }, () => randomValue(random, depth - 1));
  const object: JsonObject = {};
  for (let i = 0; i < size; i++) setKey(object, pick(random, keys), randomValue(random, depth - 1));
  return object;
}

function changed(random: Random, value: JsonValue): JsonValue {
  if (random() < 0.1) return randomValue(random, 2);
  if (Array.isArray(value)) {
    const kept = value.filter(() => random() < 0.8).map((element) => (random() < 0.3 ? changed(random, element) : element));
    return kept.flatMap((element) => (random() < 0.2 ? [randomValue(random, 1), element] : [element]));
  }
  if (typeof value !== 'object' || value === null) return random() < 0.5 ? value : randomValue(random, 1);
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) if (random() < 0.8) setKey(copy, key, changed(random, value[key] as JsonValue));
  if (random() < 0.3) setKey(copy, pick(random, keys), randomValue(random, 1));
  return copy;
}
