import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import { describePath } from '../managed-fields/path-element.ts';
import { anySchema, deducedSchema, type ListMergeSchema, type MergeSchema, type ObjectMergeSchema } from './merge-schema.ts';
import { type ChangeVisitor, walkChanges } from './walk-changes.ts';

const text: MergeSchema = { is: 'scalar', expects: 'string' };
const object = (fields: Record<string, MergeSchema>, of?: MergeSchema): ObjectMergeSchema => ({
  is: 'object',
  atomic: false,
  fields: new Map(Object.entries(fields)),
  of,
});
const list = (kind: ListMergeSchema['kind'], of: MergeSchema): ListMergeSchema => ({
  is: 'list',
  kind,
  of,
  keys: kind === 'map' ? ['name'] : [],
  defaults: new Map(),
});
const schema = object({
  metadata: object({ name: text, labels: object({}, text), managedFields: anySchema }),
  b: text,
  a: text,
  atomic: list('atomic', text),
  set: list('set', text),
  items: list('map', object({ name: text, value: text })),
  any: deducedSchema,
});

/** Writes down what it is told. */
function recorder({ sorted = false, skip = '', end = '' } = {}): ChangeVisitor & { readonly told: string[] } {
  const told: string[] = [];
  const tell = (what: string, path: readonly string[]) => {
    told.push(`${what} ${describePath(path)}`);
    return describePath(path) !== end;
  };
  return {
    told,
    sorted,
    enter: (path) => describePath(path) !== skip && tell('enter', path),
    leave: (path) => void tell('leave', path),
    changed: (path, kind) => tell(`changed ${kind}`, path),
    removed: (path, kind) => tell(`removed ${kind}`, path),
  };
}

const named = (name: string, value?: string) => ({ name, ...(value !== undefined && { value }) });

describe('the walk over the changes of an object', () => {
  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['equal objects', { a: 'x', set: ['y'] }, { a: 'x', set: ['y'] }, ['enter .set', 'leave .set']],
    ['scalars', { a: 'x', b: 'y' }, { a: 'z' }, ['changed leaf .a', 'removed leaf .b']],
    ['an atomic list', { atomic: ['x'] }, { atomic: ['x', 'y'] }, ['changed leaf .atomic']],
    [
      'a new container',
      {},
      { metadata: { labels: { x: 'y' } } },
      [
        'enter .metadata',
        'enter .metadata.labels',
        'changed leaf .metadata.labels.x',
        'changed field .metadata.labels',
        'leave .metadata.labels',
        'changed field .metadata',
        'leave .metadata',
      ],
    ],
    [
      'managedFields',
      { metadata: { name: 'x', managedFields: [1] } },
      { metadata: { name: 'y', managedFields: [2] } },
      ['enter .metadata', 'changed leaf .metadata.name', 'leave .metadata'],
    ],
    [
      'items of a set',
      { set: ['x', 'y'] },
      { set: ['z', 'x'] },
      ['enter .set', 'changed leaf .set[="z"]', 'removed leaf .set[="y"]', 'leave .set'],
    ],
    [
      'duplicate items, which become one',
      { items: [named('x'), named('x')] },
      { items: [named('x', 'y')] },
      [
        'enter .items',
        'enter .items[name="x"]',
        'changed leaf .items[name="x"].name',
        'changed leaf .items[name="x"].value',
        'changed inner .items[name="x"]',
        'leave .items[name="x"]',
        'removed leaf .items[name="x"]',
        'leave .items',
      ],
    ],
    [
      'another type, without a schema',
      { any: { x: 1 } },
      { any: [1] },
      ['enter .any', 'removed leaf .any.x', 'changed inner .any', 'leave .any'],
    ],
    ['an empty list in place of nothing', {}, { set: [] }, ['enter .set', 'changed field .set', 'leave .set']],
  ])('%s', (_title, before, after, expected) => {
    const visitor = recorder();
    expect(walkChanges(before, after, schema, visitor)).toBe(true);
    expect(visitor.told).toEqual(expected);
  });

  const after = { set: ['y', 'x'], b: 'x', a: 'x' };

  it('is in the order of FieldsV1 if the visitor asks for that', () => {
    const visitor = recorder({ sorted: true });
    walkChanges({}, after, schema, visitor);
    const changed = visitor.told.filter((line) => line.startsWith('changed'));
    const paths = ['.a', '.b', '.set[="x"]', '.set[="y"]', '.set'];
    expect(changed.map((line) => line.split(' ')[2])).toEqual(paths);
  });

  it('skips a container that the visitor does not enter', () => {
    const visitor = recorder({ skip: '.set' });
    expect(walkChanges({}, after, schema, visitor)).toBe(true);
    expect(visitor.told).toEqual(['changed leaf .b', 'changed leaf .a']);
  });

  it('ends where the visitor ends it', () => {
    const visitor = recorder({ end: '.set[="y"]' });
    expect(walkChanges({}, after, schema, visitor)).toBe(false);
    expect(visitor.told.filter((line) => line.startsWith('changed'))).toEqual(['changed leaf .set[="y"]']);
  });
});
