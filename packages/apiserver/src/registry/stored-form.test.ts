import { internedRecord, type JsonObject, parseJson } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { decodeObject, encodeObject, encodeStored } from './stored-form.ts';

const entry = (fields: JsonObject, more: JsonObject = {}): JsonObject => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  time: '2024-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...more,
});
const object = (managedFields: JsonObject[] | undefined, more: JsonObject = {}): JsonObject => ({
  kind: 'Thing',
  apiVersion: 'v1',
  metadata: { name: 'a', uid: 'u', labels: { a: 'b' }, ...(managedFields && { managedFields }) },
  ...more,
});

describe('stored form round trip', () => {
  const simple = { 'f:data': { '.': {}, 'f:a': {} } };
  it.each<[string, JsonObject]>([
    ['with one owner', object([entry(simple)], { data: { a: 'b' } })],
    ['with several, through subresources', object([entry(simple), entry({ 'f:status': {} }, { subresource: 'status' })])],
    ['with managedFields as the last field', object([entry(simple)])],
    ['without a record', object(undefined, { data: { a: 'b' } })],
    ['without a record, and with one in its spec', object(undefined, { spec: { metadata: { managedFields: [entry(simple)] } } })],
    ['with one of its own and one in its spec', object([entry(simple)], { spec: { x: 1, managedFields: [entry(simple)] } })],
    ['with fields that look like the end of a record', object([entry({ 'f:a}]}': {}, 'f:b}]},"x': {} })], { data: { a: 'b' } })],
    ['with fields that look like another entry', object([entry({ 'f:},{"manager":"x': {}, 'f:,{': {} })])],
    [
      'with characters that are escaped',
      object([entry({ 'f:<&>\u2028"\\': {}, 'k:{"name":"a\\"b"}': {} }, { manager: 'a"<b' })]),
    ],
    ['with characters beyond ASCII', object([entry({ 'f:é😀': {} }, { manager: 'größer' })], { data: { ü: '日本' } })],
    ['with integers beyond 2^53', object([entry(simple)], { spec: { n: 9007199254740993n } })],
    ['with entries that have unknown fields', object([entry(simple, { other: { a: {} } })])],
    ['with entries in another order', object([{ fieldsV1: simple, ...entry(simple) }])],
    ['with an empty entry', object([{}])],
    [
      'with an entry without a time and a manager',
      object([{ operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: simple }]),
    ],
  ])('%s', (_title, written) => {
    const bytes = encodeStored(written);
    const read = decodeObject(bytes);
    expect(read).toEqual(written);
    expect(read).toEqual(parseJson(bytes).value);
    expect(encodeStored(read).toString()).toBe(bytes.toString());
    expect(decodeObject(new Uint8Array(bytes))).toEqual(written);
  });

  it('looks up interned managedFields instead of parsing them', () => {
    const bytes = Buffer.from(encodeObject(object([entry(simple)])));
    const record = () => (decodeObject(bytes).metadata as JsonObject).managedFields as JsonObject[];
    expect(internedRecord(record())?.text).toBe(JSON.stringify([entry(simple)]));
    expect(record()).toBe(record());
    expect(() => record().push({})).toThrow(TypeError);
  });
});
