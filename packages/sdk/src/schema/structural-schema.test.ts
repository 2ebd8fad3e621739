import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Type } from 'typebox';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { defineResource, type ResourceObject } from '../resource/define-resource.ts';
import type { ResourceSchema } from './schema-types.ts';
import { SchemaError, structuralSchema } from './structural-schema.ts';

const names = { group: 'example.com', version: 'v1', kind: 'Thing' } as const;
const converted = (properties: object) =>
  structuralSchema({ type: 'object', properties } as Exclude<ResourceSchema, string>, 'Thing', false).properties;

describe('schemas of libraries', () => {
  it('zod: the schema and the types', () => {
    const schema = z.object({
      size: z.int().positive(),
      mode: z.enum(['fast', 'slow']).default('fast'),
      note: z.string().nullable().optional(),
      tags: z.record(z.string(), z.string()).optional(),
      shape: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('circle'), radius: z.number() }),
        z.object({ kind: z.literal('square'), side: z.number() }),
      ]),
    });
    const things = defineResource({ ...names, schema });
    expectTypeOf<ResourceObject<typeof things>['mode']>().toEqualTypeOf<'fast' | 'slow'>();
    expect(structuralSchema(schema, 'Thing', false)).toMatchObject({
      type: 'object',
      required: ['size', 'mode', 'shape'],
      properties: {
        size: { type: 'integer', minimum: 0, exclusiveMinimum: true },
        mode: { type: 'string', enum: ['fast', 'slow'], default: 'fast' },
        note: { type: 'string', nullable: true },
        tags: { type: 'object', additionalProperties: { type: 'string' } },
        shape: {
          type: 'object',
          properties: {
            kind: { type: 'string', enum: ['circle', 'square'] },
            radius: { type: 'number' },
            side: { type: 'number' },
          },
        },
      },
    });
  });

  it('valibot: the schema and the types', () => {
    const schema = toStandardJsonSchema(v.object({ size: v.pipe(v.number(), v.minValue(1)), label: v.optional(v.string()) }));
    const things = defineResource({ ...names, schema });
    expectTypeOf<ResourceObject<typeof things>['size']>().toEqualTypeOf<number>();
    expect(structuralSchema(schema, 'Thing', false)).toEqual({
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'number', minimum: 1 }, label: { type: 'string' } },
    });
  });

  it('TypeBox: the schema and the types', () => {
    const schema = Type.Object({ size: Type.Integer({ minimum: 1 }), label: Type.Optional(Type.String()) });
    const things = defineResource({ ...names, schema });
    expectTypeOf<ResourceObject<typeof things>['size']>().toEqualTypeOf<number>();
    expectTypeOf<ResourceObject<typeof things>['label']>().toEqualTypeOf<string | undefined>();
    expect(structuralSchema(schema, 'Thing', false)).toEqual({
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1 }, label: { type: 'string' } },
    });
  });

  it('one that does not export JSON Schema is refused', () => {
    const schema = v.object({ size: v.number() });
    expect(() => defineResource({ ...names, schema })).toThrow('(valibot) does not export JSON Schema');
  });
});

describe('JSON Schema', () => {
  it.each<[string, object, object]>([
    ['a constant', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['a union of constants', { anyOf: [{ const: 'x' }, { const: 'y' }] }, { type: 'string', enum: ['x', 'y'] }],
    ['several types', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['a union with null', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, { type: 'integer', nullable: true }],
    ['string or integer', { anyOf: [{ type: 'string' }, { type: 'integer' }] }, { 'x-kubernetes-int-or-string': true }],
    ['an exclusive bound', { type: 'number', exclusiveMaximum: 9 }, { type: 'number', maximum: 9, exclusiveMaximum: true }],
    ['anything', {}, { 'x-kubernetes-preserve-unknown-fields': true }],
    ['closed objects', { type: 'object', properties: {}, additionalProperties: false }, { type: 'object', properties: {} }],
  ])('%s is converted', (_, schema, expected) => {
    expect(converted({ field: schema })).toEqual({ field: expected });
  });

  it('references are inlined', () => {
    const $defs = { size: { type: 'integer', minimum: 1 } };
    const schema = { type: 'object', properties: { a: { $ref: '#/$defs/size', description: 'A' } }, $defs };
    expect(structuralSchema(schema, 'Thing', false)).toEqual({
      type: 'object',
      properties: { a: { type: 'integer', minimum: 1, description: 'A' } },
    });
  });

  it.each<[string, object, RegExp]>([
    ['no object', { type: 'string' }, /must have type object/],
    ['metadata', { type: 'object', properties: { metadata: { type: 'object' } } }, /must leave out metadata/],
    [
      'a union of types',
      { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'boolean' }] } } },
      /schema.properties\[a\] is a union/,
    ],
    ['a reference to itself', { type: 'object', properties: { a: { $ref: '#' } } }, /nested too deeply, or refers to itself/],
    ['a missing reference', { type: 'object', properties: { a: { $ref: '#/x' } } }, /which is not in the schema/],
    ['tuples', { type: 'object', properties: { a: { type: 'array', prefixItems: [{}] } } }, /has prefixItems/],
    ['an unknown type', { type: 'object', properties: { a: { type: 'text' } } }, /is invalid/],
    ['an invalid default', { type: 'object', properties: { a: { type: 'integer', default: 'x' } } }, /is invalid.*default/],
  ])('with %s is refused', (_, schema, message) => {
    expect(() => structuralSchema(schema as Exclude<ResourceSchema, string>, 'Thing', false)).toThrow(SchemaError);
    expect(() => structuralSchema(schema as Exclude<ResourceSchema, string>, 'Thing', false)).toThrow(message);
  });
});

describe('names', () => {
  const schema = { type: 'object' } as const;
  it.each([
    ['Lamp', 'lamps'],
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Box', 'boxes'],
    ['Ingress', 'ingresses'],
  ])('the plural of %s is %s', (kind, plural) => {
    expect(defineResource({ ...names, kind, schema }).names.plural).toBe(plural);
  });

  it.each<[string, object, string]>([
    ['the group', { group: 'example' }, 'is not an API group'],
    ['the version', { version: '1' }, 'is not a version'],
    ['the kind', { kind: 'my-kind' }, 'is not a kind'],
    ['a short name', { shortNames: ['A'] }, 'is not a name'],
    ['a subresource', { subresources: { 'a/b': { get: () => undefined } } }, 'is not a name for a subresource'],
    ['a built-in type', { schema: 'io.k8s.Nothing' }, 'not a built-in type'],
  ])('%s is checked', (_, given, message) => {
    expect(() => defineResource({ ...names, schema, ...given })).toThrow(message);
  });

  it('a built-in type is a schema', () => {
    const { hub } = defineResource({ ...names, schema: 'io.k8s.api.core.v1.ConfigMap' });
    expect([hub.schema.type, hub.schema.form]).toEqual(['io.k8s.api.core.v1.ConfigMap', undefined]);
  });
});
