import { describe, expect, it } from 'vitest';
import type { StatusError } from '../../errors/status-error.ts';
import { deepCopy, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { Field, TypeCatalogue, TypeDefinition } from '../../schema/type.ts';
import { strategicMergePatch } from './merge.ts';

const text = { is: 'string' } as const;
const types: Record<string, Field[]> = {
  'v1.Pod': [
    { name: 'labels', type: { is: 'map', of: text } },
    { name: 'finalizers', type: { is: 'list', of: text }, patchStrategy: 'merge' },
    {
      name: 'containers',
      type: { is: 'list', of: { is: 'object', ref: 'v1.Container' } },
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    },
    {
      name: 'volumes',
      type: { is: 'list', of: { is: 'object', ref: 'v1.Container' } },
      patchStrategy: 'merge,retainKeys',
      patchMergeKey: 'name',
    },
    { name: 'tolerations', type: { is: 'list', of: { is: 'object', ref: 'v1.Container' } } },
    { name: 'strategy', type: { is: 'object', ref: 'v1.Container' }, patchStrategy: 'retainKeys' },
    { name: 'whole', type: { is: 'object', ref: 'v1.Container' }, patchStrategy: 'replace' },
    { name: 'raw', type: { is: 'any' } },
    { name: 'matrix', type: { is: 'list', of: { is: 'list', of: text } }, patchStrategy: 'merge' },
  ],
  'v1.Container': [
    { name: 'name', type: text },
    { name: 'image', type: text },
    { name: 'args', type: { is: 'list', of: text } },
    {
      name: 'env',
      type: { is: 'list', of: { is: 'object', ref: 'v1.Container' } },
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    },
  ],
};
const catalogue: TypeCatalogue = {
  get: (name) => ({ name, fields: new Map((types[name] ?? []).map((field) => [field.name, field])) }) as TypeDefinition,
};
const apply = (document: JsonObject, patch: JsonValue) =>
  strategicMergePatch(document, patch, catalogue.get('v1.Pod'), catalogue);
const named = (...names: string[]) => names.map((name) => ({ name }));

describe('strategic merge patch', () => {
  it.each<[string, JsonObject, JsonValue, JsonObject]>([
    ['members', { labels: { a: '1', b: '2' } }, { labels: { b: null, c: '3' } }, { labels: { a: '1', c: '3' } }],
    ['nothing', { labels: { a: '1' } }, null, { labels: { a: '1' } }],
    [
      'items by merge key',
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '1' },
        ],
      },
      { containers: [{ name: 'b', image: '2' }] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
        ],
      },
    ],
    ['new items go first', { containers: named('a', 'b') }, { containers: named('c') }, { containers: named('c', 'a', 'b') }],
    [
      'order of the patch wins',
      { containers: named('a', 'b', 'c') },
      { containers: named('c', 'a') },
      { containers: named('b', 'c', 'a') },
    ],
    [
      'delete an item',
      { containers: named('a', 'b') },
      { containers: [{ $patch: 'delete', name: 'a' }] },
      { containers: named('b') },
    ],
    [
      'replace a list',
      { containers: named('a', 'b') },
      { containers: [{ $patch: 'replace' }, { name: 'z' }] },
      { containers: named('z') },
    ],
    ['replace an object', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
    ['delete an object', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    ['lists that are not merged', { tolerations: named('a') }, { tolerations: named('b') }, { tolerations: named('b') }],
    ['sets', { finalizers: ['a', 'b'] }, { finalizers: ['c', 'a'] }, { finalizers: ['c', 'a', 'b'] }],
    ['delete from sets', { finalizers: ['a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] }, { finalizers: ['b'] }],
    ['delete from a missing list', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],
    [
      'retain keys',
      { strategy: { name: 'x', image: 'y' } },
      { strategy: { $retainKeys: ['name'], name: 'z' } },
      { strategy: { name: 'z' } },
    ],
    [
      'retain keys of an item',
      { volumes: [{ name: 'v', image: 'x' }] },
      { volumes: [{ $retainKeys: ['name', 'args'], name: 'v', args: ['y'] }] },
      { volumes: [{ name: 'v', args: ['y'] }] },
    ],
    ['strategy replace', { whole: { name: 'a', image: 'b' } }, { whole: { name: 'c' } }, { whole: { name: 'c' } }],
    [
      'element order',
      { containers: named('a', 'b', 'c') },
      { '$setElementOrder/containers': named('c', 'a'), containers: [{ name: 'a', image: '1' }] },
      { containers: [{ name: 'b' }, { name: 'c' }, { name: 'a', image: '1' }] },
    ],
    [
      'element order alone',
      { finalizers: ['a', 'b'] },
      { '$setElementOrder/finalizers': ['b', 'a'] },
      { finalizers: ['b', 'a'] },
    ],
    ['element order of a missing list', {}, { '$setElementOrder/finalizers': ['b', 'a'] }, {}],
    [
      'a new item in the place of a deleted one',
      { containers: named('b', 'c') },
      { '$setElementOrder/containers': named('a'), containers: [{ $patch: 'delete', name: 'c' }, { name: 'a' }] },
      { containers: named('b', 'a') },
    ],
    ['deletion of missing members', {}, { labels: { a: null, b: { $patch: 'delete' }, c: '1' } }, { labels: { c: '1' } }],
    ['another type', { labels: { a: '1' } }, { labels: 'x' }, { labels: 'x' }],
    [
      'nested lists',
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'X', image: '1' },
              { name: 'Y', image: '1' },
            ],
          },
        ],
      },
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', image: '2' },
              { $patch: 'delete', name: 'X' },
            ],
          },
        ],
      },
      { containers: [{ name: 'a', env: [{ name: 'Y', image: '2' }] }] },
    ],
  ])('%s', (_name, document, patch, expected) => {
    const [documentBefore, patchBefore] = [deepCopy(document), deepCopy(patch)];
    expect(apply(document, patch)).toEqual(expected);
    expect(document).toEqual(documentBefore);
    expect(patch).toEqual(patchBefore);
  });

  const order = (patch: string, list: string) =>
    `The order in patch list:\n${patch}\n doesn't match $setElementOrder list:\n${list}\n`;
  it.each<[string, JsonObject, JsonValue, number, string]>([
    ['no object', {}, ['x'], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'no merge key',
      { containers: [] },
      { containers: [{ image: 'nokey' }] },
      500,
      'map: map[image:nokey] does not contain declared merge key: name',
    ],
    [
      'unknown directive',
      { labels: {} },
      { labels: { $patch: 'frob' } },
      500,
      'unknown patch type: frob in map: map[$patch:frob]',
    ],
    [
      'merge directive',
      { containers: named('a') },
      { containers: [{ $patch: 'merge', name: 'a' }] },
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    ['order that is no list', {}, { $setElementOrder: 0 }, 500, 'expected a []interface {}, but received a int64'],
    ['$setElementOrder without a field', {}, { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [
      'order that differs',
      { containers: [] },
      { '$setElementOrder/containers': named('b'), containers: named('a') },
      500,
      order('[map[name:a]]', '[map[name:b]]'),
    ],
    [
      '$deleteFromPrimitiveList without a field',
      {},
      { $deleteFromPrimitiveList: [] },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'retainKeys that is no list',
      { strategy: {} },
      { strategy: { $retainKeys: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'retainKeys without a key',
      { strategy: {} },
      { strategy: { $retainKeys: [], name: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['mixed items', { finalizers: ['a'] }, { finalizers: [1] }, 500, 'list element types are not identical: [[a] [1]]'],
    [
      'objects in a map',
      { labels: { a: {} } },
      { labels: { a: {} } },
      500,
      'merging an object in json but data type is not struct, instead is: map',
    ],
    [
      'objects anywhere',
      { raw: { a: {} } },
      { raw: { a: {} } },
      500,
      'unable to find api field in struct RawExtension for the json field "a"',
    ],
    ['lists of lists', { matrix: [['a']] }, { matrix: [['b']] }, 500, 'unexpected slice of slice'],
    [
      'nested lists in a set',
      { finalizers: [['a']] },
      { finalizers: [['b']] },
      422,
      'the server rejected our request due to an error in our request',
    ],
  ])('%s', (_name, document, patch, code, message) => {
    let error: unknown;
    try {
      apply(document, patch);
    } catch (thrown) {
      error = thrown;
    }
    expect({ code: (error as StatusError).code, message: (error as StatusError).message }).toEqual({ code, message });
  });
});
