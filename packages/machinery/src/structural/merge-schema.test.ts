import { describe, expect, it } from 'vitest';
import { compareObjects, fieldSetOf } from '../apply/compare.ts';
import { mergeObjects } from '../apply/merge.ts';
import { schemaMismatch } from '../apply/validate.ts';
import type { JsonObject } from '../json/value.ts';
import { mergeSchemaOfRoot } from './merge-schema.ts';
import { parseSchema } from './schema/parse.ts';

const text: JsonObject = { type: 'string' };
const shape = mergeSchemaOfRoot(
  parseSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          n: { type: 'integer' },
          list: { type: 'array', items: text },
          set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
          map: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['port', 'name'],
            items: { type: 'object', properties: { name: text, port: { type: 'integer', default: 80 }, v: text } },
          },
          atom: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
          labels: { type: 'object', additionalProperties: text },
          open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          any: { 'x-kubernetes-preserve-unknown-fields': true },
          either: { 'x-kubernetes-int-or-string': true },
          embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
        },
      },
    },
  }),
  false,
);

const inSpec = (spec: JsonObject): JsonObject => ({ spec });

describe('merge schemas of custom resources', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['lists as a whole', { list: ['a'] }, { 'f:list': {} }],
    ['sets by item', { set: ['a'] }, { 'f:set': { 'v:"a"': {} } }],
    [
      'maps by their keys, with defaults',
      { map: [{ name: 'a', v: '1' }] },
      { 'f:map': { 'k:{"name":"a","port":80}': { '.': {}, 'f:name': {}, 'f:v': {} } } },
    ],
    ['atomic objects as a whole', { atom: { a: '1' } }, { 'f:atom': {} }],
    ['maps by key', { labels: { a: 'b' } }, { 'f:labels': { 'f:a': {} } }],
    ['fields without a schema, by field', { open: { a: { b: [1] } } }, { 'f:open': { 'f:a': { '.': {}, 'f:b': {} } } }],
    ['values without a schema, atomically', { any: [1], either: 5 }, { 'f:any': {}, 'f:either': {} }],
    [
      'embedded metadata as metadata',
      { embedded: { kind: 'A', metadata: { finalizers: ['a/b'] }, spec: {} } },
      { 'f:embedded': { 'f:kind': {}, 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} } }, 'f:spec': {} } },
    ],
  ])('%s', (_title, spec, set) => expect(fieldSetOf(inSpec(spec), shape)).toEqual({ 'f:spec': set }));

  it('follows a value that changes its type', () => {
    const { changed, removed } = compareObjects(inSpec({ any: { a: { b: 1 } } }), inSpec({ any: [1] }), shape);
    expect(changed).toEqual({ 'f:spec': { 'f:any': {} } });
    expect(JSON.stringify(removed)).toContain('"f:b"');
  });

  it('is merged', () => {
    const live = inSpec({ set: ['a'], map: [{ name: 'a', port: 80, v: '1' }], open: { a: { b: 1 } }, any: { x: 1 } });
    const applied = inSpec({ set: ['b'], map: [{ name: 'a', v: '2' }], open: { a: { c: 2 } }, any: 'text' });
    expect(mergeObjects(live, applied, shape)).toEqual(
      inSpec({ set: ['a', 'b'], map: [{ name: 'a', port: 80, v: '2' }], open: { a: { b: 1, c: 2 } }, any: 'text' }),
    );
  });

  it.each<[JsonObject, string | undefined]>([
    [{ open: { any: 'thing' }, any: [{}], either: 'a' }, undefined],
    [{ foo: 1 }, '.spec.foo: field not declared in schema'],
    [{ n: 'a' }, '.spec.n: expected numeric (int or float), got string'],
    [{ list: 'x' }, '.spec.list: expected list, got &{x}'],
    [{ map: [{ name: 'a' }, { name: 'a' }] }, '.spec.map: duplicate entries for key [name="a",port=80]'],
  ])('validates %j: %s', (spec, message) => expect(schemaMismatch(inSpec(spec), shape)).toBe(message));
});
