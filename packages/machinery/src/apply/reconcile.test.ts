import { describe, expect, it } from 'vitest';
import { anySchema, deducedSchema, type ListMergeSchema, type MergeSchema, type ObjectMergeSchema } from './merge-schema.ts';
import { reconcileSet } from './reconcile.ts';

const text: MergeSchema = { is: 'scalar', expects: 'string' };
const object = (fields: Record<string, MergeSchema>, more: Partial<ObjectMergeSchema> = {}): ObjectMergeSchema => ({
  is: 'object',
  atomic: false,
  fields: new Map(Object.entries(fields)),
  of: undefined,
  ...more,
});
const list = (kind: ListMergeSchema['kind'], of: MergeSchema): ListMergeSchema => ({
  is: 'list',
  kind,
  of,
  keys: ['name'],
  defaults: new Map(),
});

describe('reconciling field sets with a changed schema', () => {
  it.each<[string, MergeSchema, object, object]>([
    ['a list', list('atomic', text), { '.': {}, 'v:"a"': {} }, {}],
    ['a list whose items were owned', list('atomic', text), { 'k:{"name":"a"}': { '.': {}, 'f:x': {} } }, {}],
    ['an object', object({ a: text }, { atomic: true }), { 'f:a': {} }, {}],
    ['a map', object({}, { atomic: true, of: text }), { '.': {}, 'f:a': {} }, {}],
    ['values without a schema', anySchema, { 'f:a': { 'f:b': {} } }, {}],
    [
      'the items of a list',
      list('map', object({ tags: list('atomic', text) }, { atomic: true })),
      { 'k:{"name":"a"}': { '.': {}, 'f:tags': { 'v:"x"': {} } }, 'k:{"name":"b"}': {} },
      { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {} },
    ],
  ])('owns the whole when %s has become atomic', (_title, schema, before, after) => {
    expect(reconcileSet({ 'f:other': {}, 'f:field': before } as never, object({ field: schema }))).toEqual({
      'f:other': {},
      'f:field': after,
    });
  });

  it.each<[string, MergeSchema]>([
    ['nothing has changed', object({ a: object({ b: text }) })],
    ['it has become a scalar', text],
    ['it has no schema', deducedSchema],
    ['its members have no schema', object({}, { atomic: true, of: deducedSchema })],
    ['the field no longer exists', object({})],
  ])('changes nothing if %s', (_title, schema) => {
    const set = { 'f:field': { '.': {}, 'f:a': { 'f:b': {} } } } as never;
    expect(reconcileSet(set, object({ field: schema }))).toBe(set);
  });
});
