import { describe, expect, it } from 'vitest';
import { anyShape, deducedShape, type ListShape, type ObjectShape, type Shape } from './merge-schema.ts';
import { reconcileSet } from './reconcile.ts';

const text: Shape = { is: 'scalar', expects: 'string' };
const object = (fields: Record<string, Shape>, more: Partial<ObjectShape> = {}): ObjectShape => ({
  is: 'object',
  atomic: false,
  fields: new Map(Object.entries(fields)),
  of: undefined,
  ...more,
});
const list = (kind: ListShape['kind'], of: Shape): ListShape => ({ is: 'list', kind, of, keys: ['name'], defaults: new Map() });

describe('a record of what was owned part by part', () => {
  it.each<[string, Shape, object, object]>([
    ['a list', list('atomic', text), { '.': {}, 'v:"a"': {} }, {}],
    ['a list of which only items were owned', list('atomic', text), { 'k:{"name":"a"}': { '.': {}, 'f:x': {} } }, {}],
    ['an object', object({ a: text }, { atomic: true }), { 'f:a': {} }, {}],
    ['a map', object({}, { atomic: true, of: text }), { '.': {}, 'f:a': {} }, {}],
    ['what is not described', anyShape, { 'f:a': { 'f:b': {} } }, {}],
    [
      'the items of a list',
      list('map', object({ tags: list('atomic', text) }, { atomic: true })),
      { 'k:{"name":"a"}': { '.': {}, 'f:tags': { 'v:"x"': {} } }, 'k:{"name":"b"}': {} },
      { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': {} },
    ],
  ])('is one of the whole once %s has become one thing', (_title, shape, before, after) => {
    expect(reconcileSet({ 'f:other': {}, 'f:field': before } as never, object({ field: shape }))).toEqual({
      'f:other': {},
      'f:field': after,
    });
  });

  it.each<[string, Shape]>([
    ['nothing has changed', object({ a: object({ b: text }) })],
    ['it is a scalar now', text],
    ['no schema says anything of it', deducedShape],
    ['no schema says anything of what is in it', object({}, { atomic: true, of: deducedShape })],
    ['there is no such field any more', object({})],
  ])('stays as it is if %s', (_title, shape) => {
    const set = { 'f:field': { '.': {}, 'f:a': { 'f:b': {} } } } as never;
    expect(reconcileSet(set, object({ field: shape }))).toBe(set);
  });
});
