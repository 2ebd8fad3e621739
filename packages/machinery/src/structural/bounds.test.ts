import { describe, expect, it } from 'vitest';
import { FieldErrors } from '../errors/field-errors.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { compileSchema } from './compile.ts';

/** Milliseconds: far more than needed, far less than a quadratic algorithm would take. */
const timeLimit = 5_000;

function schemaOf(field: JsonObject): JsonObject {
  return { type: 'object', properties: { spec: { type: 'object', properties: { f: field } } } };
}

function errorsOf(field: JsonObject, value: JsonValue, old?: JsonValue): FieldErrors {
  const compiled = compileSchema(schemaOf(field));
  const [object, before] = [value, old].map(
    (f) => ({ kind: 'K', metadata: { name: 'n' }, spec: { f: f ?? null } }) as JsonObject,
  );
  const errors = new FieldErrors();
  compiled.normalize(object as JsonObject, 'request');
  compiled.validateValues(object as JsonObject, old === undefined ? undefined : before, errors);
  compiled.validateRules(object as JsonObject, old === undefined ? undefined : before, errors, 'object');
  return errors;
}

function nested(depth: number): JsonObject {
  let value: JsonObject = { leaf: 1 };
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

const many = 300_000;

describe('bounded time', () => {
  it.each<[string, JsonObject, JsonValue, string]>([
    ['a hostile pattern', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(500_000)}b`, 'should match'],
    ['a long address', { type: 'string', format: 'email' }, `${'a.'.repeat(200_000)}@`, 'must be of type email'],
    ['a long duration', { type: 'string', format: 'duration' }, '1'.repeat(1_000_000), 'must be of type duration'],
    ['a long host', { type: 'string', format: 'hostname' }, 'a-'.repeat(500_000), 'must be of type hostname'],
    ['a long URI', { type: 'string', format: 'uri' }, `http://${'%'.repeat(500_000)}`, 'must be of type uri'],
    ['many wrong items', { type: 'array', items: { type: 'string' } }, new Array(many).fill(1), 'must be of type string'],
    [
      'a set of everything twice',
      { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
      Array.from({ length: many }, (_, i) => i % (many / 2)),
      'Duplicate value',
    ],
    [
      'alternatives within alternatives',
      { type: 'array', items: { type: 'string', anyOf: Array.from({ length: 50 }, (_, i) => ({ minLength: 100 + i })) } },
      new Array(2_000).fill('short'),
      'anyOf',
    ],
  ])(
    '%s',
    (_title, field, value, message) => {
      const start = performance.now();
      expect(String(errorsOf(field, value))).toContain(message);
      expect(performance.now() - start).toBeLessThan(timeLimit);
    },
    2 * timeLimit,
  );

  it('reports a thousand errors and counts the rest', () => {
    const errors = errorsOf({ type: 'array', items: { type: 'string' } }, new Array(many).fill(1));
    expect(errors.list).toHaveLength(1_000);
    expect(String(errors)).toMatch(/and \d+ more]$/);
  });

  it('prunes deeply nested unknown fields', () => {
    const compiled = compileSchema(schemaOf({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }));
    const object: JsonObject = { spec: { f: nested(400), g: nested(400) } };
    expect(compiled.normalize(object, 'request').unknown).toEqual(['unknown field "spec.g"']);
    expect(object.spec).toEqual({ f: nested(400) });
  });

  it('stops rules with expensive loops', () => {
    const rule = 'self.all(x, self.all(y, self.all(z, x + y + z > -1)))';
    const field = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule }] };
    expect(String(errorsOf(field, new Array(1_000).fill(1)))).toBe(
      `spec.f: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
    );
  });

  it('stops when all rules together exceed the cost limit', () => {
    const rules = Array.from({ length: 200 }, (_, i) => ({ rule: `self.all(x, x != ${i + 2})` }));
    const field = { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': rules };
    expect(String(errorsOf(field, new Array(20_000).fill(1)))).toBe(
      'spec.f: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });
});

describe('a schema of 800 KB', () => {
  const text = 'What this is for is told here at some length, as generated definitions do it, and then some more. ';
  const level = (depth: number): JsonObject => {
    const properties: JsonObject = { name: { type: 'string', description: text, pattern: '^[a-z]+$' } };
    for (let i = 0; i < 6 && depth > 0; i++)
      properties[`f${i}`] = i % 2 === 0 ? level(depth - 1) : { type: 'array', description: text, items: level(depth - 1) };
    return { type: 'object', description: text, properties };
  };
  const schema: JsonObject = { type: 'object', properties: { spec: level(4) } };

  it('validates only the fields that objects have', () => {
    expect(JSON.stringify(schema).length).toBeGreaterThan(500_000);
    const compiled = compileSchema(schema);
    const object: JsonObject = { spec: { f0: { f1: [{ f2: { f3: [{ name: 'X', nme: 'y' }] } }] } } };
    expect(compiled.normalize(object, 'request').unknown).toEqual(['unknown field "spec.f0.f1[0].f2.f3[0].nme"']);
    const errors = new FieldErrors();
    compiled.validateValues(object, undefined, errors);
    expect(String(errors)).toBe(
      'spec.f0.f1[0].f2.f3[0].name: Invalid value: "X": spec.f0.f1[0].f2.f3[0].name in body should match \'^[a-z]+$\'',
    );
  });
});
