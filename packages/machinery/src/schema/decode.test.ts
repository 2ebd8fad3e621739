import { describe, expect, it } from 'vitest';
import { NumberLiteral, type ParsedObject } from '../json/number-literal.ts';
import { stringifyJson } from '../json/stringify.ts';
import type { JsonObject } from '../json/value.ts';
import { checkObject } from './decode.ts';
import type { Field, TypeCatalogue, TypeDefinition } from './type.ts';

const text = { is: 'string' } as const;
const types: Record<string, Field[]> = {
  'io.k8s.api.core.v1.Thing': [
    { name: 'kind', type: text },
    { name: 'apiVersion', type: text },
    { name: 'metadata', type: { is: 'object', ref: 'io.k8s.api.core.v1.Meta' }, default: {} },
    { name: 'data', type: { is: 'map', of: text } },
    { name: 'spec', type: { is: 'object', ref: 'io.k8s.api.core.v1.Spec' } },
  ],
  'io.k8s.api.core.v1.Meta': [
    { name: 'name', type: text, omitempty: 'omit' },
    { name: 'created', type: { is: 'time' } },
    { name: 'micro', type: { is: 'microTime' } },
    { name: 'labels', type: { is: 'map', of: text } },
  ],
  'io.k8s.api.core.v1.Spec': [
    { name: 'name', type: text, required: true, default: '' },
    { name: 'replicas', type: { is: 'int32' } },
    { name: 'count', type: { is: 'int64' }, omitempty: 'omit' },
    { name: 'ratio', type: { is: 'double' } },
    { name: 'flag', type: { is: 'boolean' } },
    { name: 'bytes', type: { is: 'bytes' } },
    { name: 'size', type: { is: 'quantity' } },
    { name: 'wait', type: { is: 'duration' } },
    { name: 'port', type: { is: 'intOrString' } },
    { name: 'raw', type: { is: 'any' } },
    { name: 'items', type: { is: 'list', of: { is: 'object', ref: 'io.k8s.api.core.v1.Spec' } } },
    { name: 'byName', type: { is: 'map', of: { is: 'object', ref: 'io.k8s.api.core.v1.Meta' } } },
    { name: 'names', type: { is: 'list', of: text }, required: true },
    { name: 'selector', type: { is: 'object', ref: 'io.k8s.api.core.v1.Meta' }, omitempty: 'null' },
  ],
};
const catalogue: TypeCatalogue = {
  get: (name) => ({ name, fields: new Map((types[name] ?? []).map((field) => [field.name, field])) }) as TypeDefinition,
};
const check = (value: JsonObject) => checkObject(value, catalogue.get('io.k8s.api.core.v1.Thing'), catalogue);
const spec = (value: JsonObject) => ({ metadata: {}, spec: { name: '', ...value, names: null, selector: null } });

describe('the decoded object', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'fields in order',
      { data: { b: '1', a: '2' }, apiVersion: 'v1', kind: 'Thing' },
      { kind: 'Thing', apiVersion: 'v1', metadata: {}, data: { a: '2', b: '1' } },
    ],
    ['no nulls', { metadata: null, data: { a: null }, spec: null }, { metadata: {}, data: { a: '' } }],
    ['empty fields are omitted', { metadata: { name: '', labels: {} }, data: {} }, { metadata: {} }],
    ['zeros that were sent', { spec: { replicas: 0, count: 0, flag: false } }, spec({ replicas: 0, flag: false })],
    ['fields without omitempty', { spec: {} }, spec({})],
    ['times in UTC', { metadata: { created: '2024-01-02T03:04:05.9+01:00' } }, { metadata: { created: '2024-01-02T02:04:05Z' } }],
    ['no zero time', { metadata: { created: '0001-01-01T00:00:00Z' } }, { metadata: {} }],
    [
      'microseconds',
      { metadata: { micro: '2024-01-02T03:04:05.123456Z' } },
      { metadata: { micro: '2024-01-02T03:04:05.123456Z' } },
    ],
    ['quantities', { spec: { size: '1024Mi' } }, spec({ size: '1Gi' })],
    ['quantities from numbers', { spec: { size: 0.5 } }, spec({ size: '500m' })],
    ['durations', { spec: { wait: '90s' } }, spec({ wait: '1m30s' })],
    ['bytes', { spec: { bytes: 'YW\nI=' } }, spec({ bytes: 'YWI=' })],
    ['large integers', { spec: { count: 9007199254740993n } }, spec({ count: 9007199254740993n })],
    ['raw JSON unchanged', { spec: { raw: { z: null, a: [] } } }, spec({ raw: { z: null, a: [] } })],
    ['null items', { spec: { items: [null] } }, spec({ items: [{ name: '', names: null, selector: null }] })],
    ['numbers or strings', { spec: { port: '50%' } }, spec({ port: '50%' })],
  ])('%s', (_name, value, expected) => {
    const checked = check(value);
    expect(checked.error).toBeUndefined();
    expect(checked.unknown).toEqual([]);
    expect(stringifyJson(checked.value)).toBe(stringifyJson(expected));
  });

  it('keeps __proto__ a key of a map', () => {
    const value = JSON.parse('{"data":{"__proto__":"x"}}') as JsonObject;
    expect(stringifyJson(check(value).value)).toBe('{"metadata":{},"data":{"__proto__":"x"}}');
  });
});

describe('unknown fields', () => {
  it.each<[JsonObject, string[]]>([
    [{ extra: { deep: 1 }, spec: { nosuch: true } }, ['extra', 'spec.nosuch']],
    [{ Kind: 'x' }, ['Kind']],
    [{ spec: { items: [{}, { nope: 1, items: [{ no: 1 }] }] } }, ['spec.items[1].nope', 'spec.items[1].items[0].no']],
    [{ spec: { byName: { 'a.b': { nope: 1 } } } }, ['spec.byName.a.b.nope']],
    [{ spec: { raw: { anything: 1 } } }, []],
    [JSON.parse('{"__proto__":1,"constructor":2}'), ['__proto__', 'constructor']],
  ])('%j', (value, paths) => {
    expect(check(value).unknown).toEqual(paths.map((path) => `unknown field "${path}"`));
  });

  it('are dropped', () => {
    expect(check({ extra: 1, data: { a: 'b' } }).value).toEqual({ metadata: {}, data: { a: 'b' } });
  });
});

describe('type mismatches', () => {
  const field = (kind: string, at: string, type: string) =>
    `json: cannot unmarshal ${kind} into Go struct field ${at} of type ${type}`;
  it.each<[JsonObject, string]>([
    [{ data: { a: 1 } }, field('number', 'Thing.data', 'string')],
    [{ data: [] }, field('array', 'Thing.data', 'map[string]string')],
    [{ metadata: { labels: { a: true } } }, field('bool', 'Meta.metadata.labels', 'string')],
    [{ metadata: 'x' }, field('string', 'Thing.metadata', 'v1.Meta')],
    [{ spec: { items: ['x'] } }, field('string', 'Spec.spec.items', 'v1.Spec')],
    [{ spec: { items: {} } }, field('object', 'Spec.spec.items', '[]v1.Spec')],
    [{ spec: { items: [{ names: [5] }] } }, field('number', 'Spec.spec.items.names', 'string')],
    [{ spec: { replicas: '1' } }, field('string', 'Spec.spec.replicas', 'int32')],
    [{ spec: { replicas: 1.5 } }, field('number 1.5', 'Spec.spec.replicas', 'int32')],
    [{ spec: { replicas: 2147483648 } }, field('number 2147483648', 'Spec.spec.replicas', 'int32')],
    [{ spec: { count: 1e20 } }, field('number 100000000000000000000', 'Spec.spec.count', 'int64')],
    [{ spec: { flag: 'true' } }, field('string', 'Spec.spec.flag', 'bool')],
    [{ spec: { port: 1.5 } }, field('number 1.5', 'Spec.spec.port', 'int32')],
    [{ spec: { port: {} } }, field('object', 'Spec.spec.port', 'int32')],
    [{ spec: { bytes: 'a===' } }, 'illegal base64 data at input byte 1'],
    [{ spec: { bytes: 'ab c' } }, 'illegal base64 data at input byte 2'],
    [{ spec: { bytes: 1 } }, field('number', 'Spec.spec.bytes', '[]uint8')],
    [{ metadata: { created: 5 } }, field('number', 'Meta.metadata.created', 'string')],
    [{ metadata: { created: 'x' } }, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    [{ metadata: { created: '2024-13-01T00:00:00Z' } }, 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    [{ metadata: { created: '2023-02-29T00:00:00Z' } }, 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    [
      { metadata: { micro: '2024-01-02T03:04:05Z' } },
      'parsing time "2024-01-02T03:04:05Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    ],
    [{ spec: { size: 'x' } }, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
    [{ spec: { size: '1mm' } }, "unable to parse quantity's suffix"],
    [{ spec: { wait: '5' } }, 'time: missing unit in duration "5"'],
    [
      { data: { a: 1 }, metadata: { created: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [{ data: { a: 1 }, spec: { flag: 1 } }, field('number', 'Thing.data', 'string')],
  ])('%j', (value, message) => {
    expect(check(value).error).toBe(message);
  });
});

describe('number literals', () => {
  const literal = (value: number, text: string) => new NumberLiteral(value, text);
  const checkLiterals = (value: ParsedObject) =>
    checkObject(value, catalogue.get('io.k8s.api.core.v1.Thing'), catalogue, { hasNumberLiterals: true });

  it.each<[string, ParsedObject, string]>([
    ['int32', { replicas: literal(1, '1.0') }, 'number 1.0 into Go struct field Spec.spec.replicas of type int32'],
    ['int64', { count: literal(100, '1e2') }, 'number 1e2 into Go struct field Spec.spec.count of type int64'],
    ['intOrString', { port: literal(8, '8.0') }, 'number 8.0 into Go struct field Spec.spec.port of type int32'],
    ['double', { ratio: literal(Infinity, '1e400') }, 'number 1e400 into Go struct field Spec.spec.ratio of type float64'],
    ['string', { name: literal(1, '1.0') }, 'number into Go struct field Spec.spec.name of type string'],
    ['list', { items: literal(1, '1.0') }, 'number into Go struct field Spec.spec.items of type []v1.Spec'],
    ['object', { selector: literal(1, '1.0') }, 'number into Go struct field Spec.spec.selector of type v1.Meta'],
    ['map', { byName: literal(1, '1.0') }, 'number into Go struct field Spec.spec.byName of type map[string]v1.Meta'],
  ])('are rejected for %s', (_type, value, expected) => {
    expect(checkLiterals({ spec: value }).error).toBe(`json: cannot unmarshal ${expected}`);
  });

  it('become plain numbers in fields of any number', () => {
    const value = { ratio: literal(1, '1.0'), size: literal(1.5, '1.50'), raw: { a: [literal(1, '1.0')] } };
    expect(checkLiterals({ spec: value }).value.spec).toMatchObject({ ratio: 1, size: '1500m', raw: { a: [1] } });
  });

  it.each<[JsonObject, JsonObject]>([
    [{ replicas: 99999999999 }, { replicas: 1215752191 }],
    [{ replicas: 1e20 }, { replicas: 0 }],
    [{ replicas: 9007199254740993n }, { replicas: 1 }],
    [{ count: 1e20 }, { count: -(2n ** 63n) }],
  ])('integers from values are truncated: %o', (value, expected) => {
    const type = catalogue.get('io.k8s.api.core.v1.Thing');
    expect(checkObject({ spec: value }, type, catalogue, { source: 'values' }).value.spec).toMatchObject(expected);
    expect(checkObject({ spec: value }, type, catalogue).error).toContain('cannot unmarshal number');
  });
});
