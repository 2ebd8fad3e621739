import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../json/value.ts';
import { type CelSchema, declareType } from '../types/declared-type.ts';
import { escapeName, unescapeName } from '../types/escape.ts';
import { formatType } from '../types/type.ts';
import { jsonReader } from './json.ts';
import { typeOfValue } from './type-of.ts';
import { CelError, CelMap, type CelValue } from './value.ts';

function read(schema: CelSchema, value: JsonValue): CelValue {
  return jsonReader(schema)(value);
}

function problemOf(value: CelValue): string {
  return value instanceof CelError ? value.message : '';
}

describe('escaping of property names', () => {
  it.each([
    ['a', 'a'],
    ['a-b', 'a__dash__b'],
    ['a.b/c', 'a__dot__b__slash__c'],
    ['a__b', 'a__underscores__b'],
    ['_a_', '_a_'],
    ['namespace', '__namespace__'],
    ['true', '__true__'],
    ['int', 'int'],
    ['-a', '__dash__a'],
  ])('%s is escaped as %s', (name, identifier) => {
    expect(escapeName(name)).toBe(identifier);
    expect(unescapeName(identifier)).toBe(name);
  });

  it.each(['', '1a', '$a', 'a b', 'ä'])('%j cannot be escaped', (name) => {
    expect(escapeName(name)).toBeUndefined();
  });

  it.each(['__what__', 'a__for__', '__dots__'])('%s is an invalid escape', (identifier) => {
    expect(unescapeName(identifier)).toBeUndefined();
  });
});

describe('values that match their schema', () => {
  it.each<[CelSchema, JsonValue, string]>([
    [{ type: 'string' }, 'a', 'string'],
    [{ type: 'string', format: 'date-time' }, '2024-01-01T00:00:00Z', 'timestamp'],
    [{ type: 'string', format: 'date-time' }, '2024-01-01T00:00:00', 'timestamp'],
    [{ type: 'string', format: 'date' }, '2024-01-01', 'timestamp'],
    [{ type: 'string', format: 'duration' }, '1h', 'duration'],
    [{ type: 'string', format: 'duration' }, '3 days', 'duration'],
    [{ type: 'string', format: 'byte' }, 'aGVsbG8=', 'bytes'],
    [{ type: 'string', format: 'uuid' }, 'x', 'string'],
    [{ type: 'integer' }, 1, 'int'],
    [{ type: 'integer' }, 2n ** 60n, 'int'],
    [{ type: 'number' }, 1, 'double'],
    [{ type: 'boolean' }, true, 'bool'],
    [{ type: 'object' }, {}, 'map(dyn, dyn)'],
    [{ type: 'array', items: { type: 'string' } }, [], 'list(dyn)'],
    [{ 'x-kubernetes-int-or-string': true }, 5, 'int'],
    [{ 'x-kubernetes-int-or-string': true }, '5', 'string'],
    [{ type: 'string', nullable: true }, null, 'null'],
    [{ 'x-kubernetes-preserve-unknown-fields': true }, { a: 1 }, 'unknown'],
  ])('%o: %s has type %s', (schema, value, type) => {
    expect(formatType(typeOfValue(read(schema, value)))).toBe(type);
  });
});

describe('values that do not match their schema', () => {
  it.each<[CelSchema, JsonValue, string]>([
    [{ type: 'string' }, 1, 'invalid data, expected string, got int64'],
    [{ type: 'string' }, null, 'invalid data, got null for schema with nullable=false'],
    [{ type: 'integer' }, 1.5, 'invalid data, expected int, got float64'],
    [{ type: 'number' }, 'a', 'invalid data, expected float, got string'],
    [{ type: 'boolean' }, 'true', 'invalid data, expected bool, got string'],
    [{ type: 'object' }, [], 'invalid data, expected a map for the provided schema with type=object'],
    [{ type: 'array', items: {} }, {}, 'invalid data, expected an array for the provided schema with type=array'],
    [{ type: 'array' }, [], 'invalid array type, expected Items with a non-empty Schema'],
    [{ 'x-kubernetes-int-or-string': true }, 1.5, 'invalid data, expected XIntOrString value to be either a string or integer'],
    [{ type: 'string', format: 'duration' }, 'soon', 'Invalid duration soon: unable to parse soon as duration'],
    [{ type: 'string', format: 'byte' }, 'a+b/', 'Invalid byte formatted string a+b/: illegal base64 data at input byte 1'],
  ])('%j: %j', (schema, value, problem) => {
    expect(problemOf(read(schema, value))).toBe(problem);
  });
});

describe('objects', () => {
  const schema: CelSchema = { type: 'object', properties: { 'a-b': { type: 'integer' }, n: { type: 'string', nullable: true } } };

  it('expose properties by their escaped names', () => {
    const object = read(schema, { 'a-b': 1, n: null, other: 2 }) as CelMap;
    expect(object).toBeInstanceOf(CelMap);
    expect(object.find('a__dash__b')).toBe(1);
    expect(object.find('n')).toBeUndefined();
    expect(object.find('other')).toBeUndefined();
    expect(object.size).toBe(3);
    expect(object.keys()).toEqual(['a__dash__b', 'n']);
  });

  it('convert fields on access', () => {
    const value = {
      get 'a-b'(): JsonValue {
        throw new Error('was read');
      },
    };
    const object = read(schema, value) as CelMap;
    expect(object.find('n')).toBeUndefined();
    expect(() => object.find('a__dash__b')).toThrow('was read');
  });

  it('have kind and metadata.name at the root of a resource', () => {
    const root = jsonReader({ type: 'object', properties: {} }, true)({ kind: 'A', metadata: { name: 'b' } }) as CelMap;
    expect(root.find('kind')).toBe('A');
    expect((root.find('metadata') as CelMap).find('name')).toBe('b');
  });
});

describe('sizes declared by a schema', () => {
  it.each<[CelSchema, number, number]>([
    [{ type: 'string' }, 3_145_726, 2],
    [{ type: 'string', maxLength: 5 }, 20, 2],
    [{ type: 'string', enum: ['a', 'long'] }, 4, 2],
    [{ type: 'string', format: 'date-time' }, 32, 21],
    [{ type: 'string', format: 'byte', maxLength: 5 }, 5, 2],
    [{ type: 'array', items: { type: 'integer' } }, 1_572_863, 2],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 3 }, 3, 2],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 393_215, 2],
    [{ type: 'object', additionalProperties: { type: 'string' }, maxProperties: 2 }, 2, 2],
    [
      { type: 'object', required: ['ab', 'c'], properties: { ab: { type: 'string' }, c: { type: 'integer', default: 1 } } },
      0,
      10,
    ],
    [{ 'x-kubernetes-int-or-string': true }, 3_145_726, 1],
  ])('%j', (schema, maxElements, minSerializedSize) => {
    expect(declareType(schema, false, 'x')).toMatchObject({ maxElements, minSerializedSize });
  });

  it.each<[CelSchema]>([
    [{}],
    [{ 'x-kubernetes-preserve-unknown-fields': true }],
    [{ type: 'array' }],
    [{ type: 'array', items: {} }],
    [{ type: 'object', additionalProperties: { 'x-kubernetes-preserve-unknown-fields': true } }],
  ])('%j is not accessible', (schema) => {
    expect(declareType(schema, false, 'x')).toBeUndefined();
  });
});
