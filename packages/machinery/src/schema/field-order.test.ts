import { expect, it } from 'vitest';
import type { JsonObject } from '../json/value.ts';
import { inFieldOrder } from './field-order.ts';
import type { Field, TypeCatalogue, TypeDefinition } from './type.ts';

const fields = (...list: Field[]) => new Map(list.map((field) => [field.name, field]));
const types: Record<string, TypeDefinition> = {
  Tree: {
    name: 'Tree',
    fields: fields(
      { name: 'b', type: { is: 'string' } },
      { name: 'a', type: { is: 'list', of: { is: 'object', ref: 'Tree' } } },
      { name: 'c', type: { is: 'map', of: { is: 'object', ref: 'Tree' } } },
    ),
  },
};
const catalogue: TypeCatalogue = { get: (name) => types[name] as TypeDefinition };

it('sorts fields by their types, unknown ones last', () => {
  const tree: JsonObject = {
    x: 1,
    c: { k: { a: [], b: '' } },
    a: [
      { a: [], b: '' },
      { b: '', a: [] },
    ],
    b: 's',
  };
  expect(JSON.stringify(inFieldOrder(tree, 'Tree', catalogue))).toBe(
    '{"b":"s","a":[{"b":"","a":[]},{"b":"","a":[]}],"c":{"k":{"b":"","a":[]}},"x":1}',
  );
});

it('returns a sorted object itself', () => {
  const tree: JsonObject = { b: 's', a: [{ b: 't' }] };
  expect(inFieldOrder(tree, 'Tree', catalogue)).toBe(tree);
});
