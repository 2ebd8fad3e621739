import type { JsonObject } from '@tsukube/machinery';
import { expect, it } from 'vitest';
import { findAll, PathMismatch, PathSyntaxError, parsePath } from './json-path.ts';

const object: JsonObject = {
  spec: { list: ['a', 'b', 'c'], size: 3, 'with.dot': 'd', none: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 1 },
      { type: 'Synced', status: 'False', weight: 2 },
    ],
  },
};

it.each<[string, unknown[]]>([
  ['.spec.size', [3]],
  ['.spec.list', [['a', 'b', 'c']]],
  ['.spec.list[0]', ['a']],
  ['.spec.list[-1]', ['c']],
  ['.spec.list[0:2]', ['a', 'b']],
  ['.spec.list[*]', ['a', 'b', 'c']],
  ['.spec.list[0,2]', ['a', 'c']],
  ['.spec.with\\.dot', ['d']],
  [".spec['with\\.dot']", ['d']],
  ['.spec.none', [null]],
  ['.spec.missing', []],
  ['.missing.below', []],
  ['.status.conditions[*].type', ['Ready', 'Synced']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type!='Ready')].status", ['False']],
  ['.status.conditions[?(@.weight>1)].type', ['Synced']],
  ['.status.conditions[?(@.weight)].type', ['Ready', 'Synced']],
  ['.status.conditions[?(@.type=="a)b")].status', []],
  ['..weight', [1, 2]],
  ['$.spec.size', [3]],
])('%s', (path, found) => {
  expect(findAll(object, parsePath(path))).toEqual(found);
});

it.each(['.spec.list[5]', '.spec.size[0]', '.spec[?(@.a==1)]', '.status.conditions[?(@.type>1)]'])(
  '%s throws PathMismatch',
  (path) => {
    expect(() => findAll(object, parsePath(path))).toThrow(PathMismatch);
  },
);

it.each(['spec', '.a[b]', '.a[', '....a', `.${'a'.repeat(5000)}`])('%s throws PathSyntaxError', (path) => {
  expect(() => parsePath(path)).toThrow(PathSyntaxError);
});

/** Recursive descent and unions multiply the visited values. */
it.each([
  ['recursive descent', '..a'.repeat(100)],
  ['unions', `.list${`[${Array(300).fill('*').join(',')}]`.repeat(3)}`],
  ['filters', '.list[?(@..a)]'.repeat(20)],
])('limits the visited values: %s', (_, path) => {
  const nested = Array.from({ length: 200 }).reduce<JsonObject>((inner) => ({ a: inner, b: [1, 2] }), {});
  const began = process.cpuUsage();
  expect(() => findAll({ list: Array(5_000).fill([[nested]]), nested }, parsePath(path))).toThrow(PathMismatch);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500);
});
