import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { normalizeSchemas } from './nested-schemas.ts';

function specWith(field: JsonObject): JsonObject {
  return { versions: [{ schema: { openAPIV3Schema: { type: 'object', properties: { f: field } } } }] };
}

function formed(field: JsonObject): JsonObject {
  const spec = specWith(field);
  normalizeSchemas(spec);
  return spec;
}

describe('normalizeSchemas', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'have no unknown and no empty fields',
      { items: { type: 'object', 'x-foo': 1, description: '', properties: { a: { type: 'string', 'x-bar': 1 } } } },
      { items: { type: 'object', properties: { a: { type: 'string' } } } },
    ],
    ['have values with sorted keys', { default: { b: 1, a: 2 } }, { default: { a: 2, b: 1 } }],
    ['are dropped if they are not schemas', { items: 'x', additionalProperties: null }, {}],
    ['may be a boolean', { additionalProperties: false }, { additionalProperties: false }],
  ])('%s', (_title, given, result) => expect(formed(given)).toEqual(specWith(result)));

  it.each<[JsonObject, string]>([
    [
      { items: { type: 5 } },
      'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string',
    ],
    [{ additionalProperties: 'x' }, 'boolean or JSON schema expected'],
  ])('rejects %j', (given, reason) =>
    expect(() => formed(given)).toThrow(
      `CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ${reason}`,
    ),
  );
});
