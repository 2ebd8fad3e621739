import type { Field, TypeDefinition } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { openApi3, schemaOfType, swagger2 } from './schema.ts';

function typeWith(field: Omit<Field, 'name'>, more: Partial<TypeDefinition> = {}): TypeDefinition {
  return { name: 'example.Thing', fields: new Map([['field', { name: 'field', ...field }]]), ...more };
}

const silent = () => '';
const property = (
  field: Omit<Field, 'name'>,
  dialect = openApi3,
  describeField = silent as (type: string, name?: string) => string,
) => (schemaOfType(typeWith(field), dialect, describeField).properties as Record<string, unknown>).field;

const time = 'io.k8s.apimachinery.pkg.apis.meta.v1.Time';

describe('schemaOfType', () => {
  it.each<[string, Omit<Field, 'name'>, unknown, unknown]>([
    [
      'a scalar',
      { type: { is: 'int32' }, default: 0 },
      { type: 'integer', format: 'int32', default: 0 },
      { type: 'integer', format: 'int32' },
    ],
    ['bytes', { type: { is: 'bytes' } }, { type: 'string', format: 'byte' }, { type: 'string', format: 'byte' }],
    [
      'an enum',
      { type: { is: 'string' }, enum: ['A', 'B'] },
      { type: 'string', enum: ['A', 'B'] },
      { type: 'string', enum: ['A', 'B'] },
    ],
    ['a time', { type: { is: 'time' } }, { $ref: `#/components/schemas/${time}` }, { $ref: `#/definitions/${time}` }],
    [
      'a reference with a default',
      { type: { is: 'object', ref: 'example.Other' }, default: {} },
      { default: {}, allOf: [{ $ref: '#/components/schemas/example.Other' }] },
      { $ref: '#/definitions/example.Other' },
    ],
    [
      'a list of objects',
      {
        type: { is: 'list', of: { is: 'object', ref: 'example.Other' } },
        listType: 'map',
        listMapKeys: ['name'],
        patchStrategy: 'merge',
        patchMergeKey: 'name',
      },
      {
        type: 'array',
        items: { default: {}, allOf: [{ $ref: '#/components/schemas/example.Other' }] },
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
      },
      {
        type: 'array',
        items: { $ref: '#/definitions/example.Other' },
        'x-kubernetes-list-map-keys': ['name'],
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-patch-merge-key': 'name',
        'x-kubernetes-patch-strategy': 'merge',
      },
    ],
    [
      'a list of values',
      { type: { is: 'list', of: { is: 'string' } }, enum: ['A'] },
      { type: 'array', items: { type: 'string', default: '', enum: ['A'] } },
      { type: 'array', items: { type: 'string', enum: ['A'] } },
    ],
    [
      'a map of lists',
      { type: { is: 'map', of: { is: 'list', of: { is: 'string' } } } },
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'string', default: '' } } },
      { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    ],
    [
      'anything',
      { type: { is: 'any' } },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    ],
  ])('writes %s', (_, field, third, second) => {
    expect(property(field)).toEqual(third);
    expect(property(field, swagger2)).toEqual(second);
  });

  it('adds a description to a reference according to the dialect', () => {
    const field: Omit<Field, 'name'> = { type: { is: 'quantity' } };
    const name = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
    const describeField = (_: string, of?: string) => (of === undefined ? '' : `the ${of}`);
    expect(property(field, openApi3, describeField)).toEqual({
      description: 'the field',
      allOf: [{ $ref: `#/components/schemas/${name}` }],
    });
    expect(property(field, swagger2, describeField)).toEqual({ description: 'the field', $ref: `#/definitions/${name}` });
  });

  it('has required fields, group version kinds and merge strategies', () => {
    const gvks = [{ group: 'example.com', version: 'v1', kind: 'Thing' }];
    const type = typeWith({ type: { is: 'string' }, required: true }, { gvks, mapType: 'atomic' });
    expect(schemaOfType(type, openApi3, () => '')).toMatchObject({
      type: 'object',
      required: ['field'],
      'x-kubernetes-group-version-kind': gvks,
      'x-kubernetes-map-type': 'atomic',
    });
  });
});
