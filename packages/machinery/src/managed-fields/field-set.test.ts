import { describe, expect, it } from 'vitest';
import {
  difference,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  leaves,
  pathsOf,
  recursiveDifference,
  sortedSet,
  union,
} from './field-set.ts';
import { readFields } from './fields-v1.ts';
import { describePath } from './path-element.ts';

const setOf = (...paths: string[]): FieldSet =>
  paths.map((path) => path.split('/').reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), {})).reduce(union, {});
const texts = (set: FieldSet) => [...pathsOf(set)].map(describePath).sort();

describe('a field set', () => {
  it('marks an inner path as a member', () => {
    expect(setOf('a/b', 'a')).toEqual({ 'f:a': { 'f:b': {}, '.': {} } });
    expect(setOf('a', 'a/b')).toEqual(setOf('a/b', 'a'));
    expect(hasPath(setOf('a/b'), ['f:a'])).toBe(false);
    expect(hasPath(setOf('a/b', 'a'), ['f:a'])).toBe(true);
  });

  it.each([
    ['union', union, ['.a', '.a.b', '.c', '.d']],
    ['difference', difference, ['.a', '.c']],
    ['recursive difference', recursiveDifference, ['.a', '.c']],
    ['intersection', intersection, ['.a.b']],
  ])('has a %s', (_, operation, expected) => {
    expect(texts(operation(setOf('a', 'a/b', 'c'), setOf('a/b', 'd')))).toEqual(expected);
  });

  it('difference keeps the paths below a removed path, recursiveDifference does not', () => {
    expect(texts(difference(setOf('a', 'a/b'), setOf('a')))).toEqual(['.a.b']);
    expect(isEmptySet(recursiveDifference(setOf('a', 'a/b'), setOf('a')))).toBe(true);
  });

  it('is returned itself if nothing changes', () => {
    const set = setOf('a/b', 'c');
    expect(union(set, setOf('c'))).toBe(set);
    expect(difference(set, setOf('x'))).toBe(set);
    const sorted = sortedSet(set);
    expect(sortedSet(sorted)).toBe(sorted);
  });

  it('has leaves', () => {
    expect(texts(leaves(setOf('a', 'a/b', 'c')))).toEqual(['.a.b', '.c']);
  });

  it('is sorted by fields, keys, values, indexes', () => {
    const set = {
      'i:10': {},
      'i:9': {},
      'v:"b"': {},
      'v:2': {},
      'k:{"n":10}': {},
      'k:{"n":9}': {},
      'f:b': {},
      'f:a': {},
      '.': {},
    };
    expect(Object.keys(sortedSet(set))).toEqual(['.', 'f:a', 'f:b', 'k:{"n":9}', 'k:{"n":10}', 'v:2', 'v:"b"', 'i:9', 'i:10']);
  });
});

describe('FieldsV1 sent by a client', () => {
  it('has canonical elements', () => {
    expect(readFields({ 'k:{"b": 1, "a":"x"}': {}, 'v: 1.0': {}, 'i:007': {}, 'f:__proto__': {} })).toEqual({
      'k:{"a":"x","b":1}': {},
      'v:1': {},
      'i:7': {},
      'f:__proto__': {},
    });
  });

  it.each([[{ a: {} }], [{ 'f:a': 1 }], [{ 'k:[]': {} }], [{ 'v:': {} }], [{ 'i:x': {} }], [{ 'x:a': {} }], [[]], ['x']])(
    '%j is none',
    (fields) => expect(readFields(fields as never)).toBeUndefined(),
  );
});
