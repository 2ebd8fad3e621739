import { type JsonObject, ProtobufWriter } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { swagger2Protobuf } from './swagger2-protobuf.ts';

type Fields = ReadonlyMap<number, readonly (Buffer | number)[]>;

/** A minimal protobuf reader. */
function decode(bytes: Buffer): Fields {
  const fields = new Map<number, (Buffer | number)[]>();
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    const value = varintAt(bytes, tag.end);
    const isBytes = tag.value % 8 === 2;
    at = isBytes ? value.end + value.value : value.end;
    const field = tag.value >> 3;
    fields.set(field, [...(fields.get(field) ?? []), isBytes ? bytes.subarray(value.end, at) : value.value]);
  }
  return fields;
}

function varintAt(bytes: Buffer, start: number): { value: number; end: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] as number;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

/** The fields of the message at a path of field numbers; of repeated fields the first. */
function inside(bytes: Buffer, ...path: readonly number[]): Fields {
  return decode(path.reduce((message, field) => decode(message).get(field)?.[0] as Buffer, bytes));
}

const textOf = (fields: Fields, field: number) => fields.get(field)?.[0]?.toString();

describe('ProtobufWriter', () => {
  it.each([0, 1, 126, 127, 128, 200, 20_000, 3_000_000])('writes messages around %i characters', (length) => {
    const writer = new ProtobufWriter();
    const text = 'x'.repeat(length);
    writer.boolField(4, true);
    writer.messageField(1, () => writer.messageField(2, () => writer.stringField(3, text)));
    const bytes = writer.finish();
    expect(textOf(inside(bytes, 1, 2), 3)).toBe(text);
    expect(decode(bytes).get(4)).toEqual([1]);
  });

  it.each(['é', 'ü'.repeat(100), '日本語 ☸', `${'a'.repeat(120)}é`])('writes %s', (text) => {
    const writer = new ProtobufWriter();
    writer.stringField(1, text);
    expect(textOf(decode(writer.finish()), 1)).toBe(text);
  });
});

describe('swagger2Protobuf', async () => {
  const patch = {
    operationId: 'patchThing',
    consumes: ['application/json-patch+json'],
    parameters: [
      { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true },
      { $ref: '#/parameters/force-1' },
      { name: 'body', in: 'body', required: true, schema: { $ref: '#/definitions/example.Thing' } },
    ],
    responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/example.Thing' } } },
    'x-kubernetes-group-version-kind': { group: '', kind: 'Thing', version: 'v1' },
  };
  const thing = {
    type: 'object',
    required: ['name'],
    properties: {
      names: { type: 'array', items: { type: 'string' } },
      data: { type: 'object', additionalProperties: { type: 'string' } },
    },
    'x-kubernetes-group-version-kind': [{ group: '', kind: 'Thing', version: 'v1' }],
  };
  const bytes = await swagger2Protobuf({
    head: { swagger: '2.0', info: { title: 'Kubernetes', version: '1.36' } },
    paths: () => [['/api/v1/things/{name}', { patch: patch as unknown as JsonObject }]],
    definitions: () => [['example.Thing', thing]],
    parameters: () => ({ 'force-1': { name: 'force', in: 'query', type: 'boolean' } }),
  });

  it('has the head of the document', () => {
    expect(textOf(decode(bytes), 1)).toBe('2.0');
    expect(textOf(inside(bytes, 2), 1)).toBe('Kubernetes');
  });

  it('has types with their fields and extensions', () => {
    expect(textOf(inside(bytes, 9, 1), 1)).toBe('example.Thing');
    expect(textOf(inside(bytes, 9, 1, 2), 19)).toBe('name');
    expect(textOf(inside(bytes, 9, 1, 2, 22), 1)).toBe('object');
    expect(textOf(inside(bytes, 9, 1, 2, 25, 1), 1)).toBe('names');
    expect(textOf(inside(bytes, 9, 1, 2, 25, 1, 2, 23, 1, 22), 1)).toBe('string');
    expect(textOf(inside(bytes, 9, 1, 2, 31), 1)).toBe('x-kubernetes-group-version-kind');
    expect(textOf(inside(bytes, 9, 1, 2, 31, 2), 2)).toBe('[{"group":"","kind":"Thing","version":"v1"}]');
  });

  it('has operations with the parameters that kubectl reads', () => {
    expect(textOf(inside(bytes, 8, 2), 1)).toBe('/api/v1/things/{name}');
    const operation = inside(bytes, 8, 2, 2, 8);
    expect(textOf(operation, 5)).toBe('patchThing');
    const [dryRun, force, body] = (operation.get(8) ?? []) as Buffer[];
    expect(textOf(inside(dryRun as Buffer, 1, 2, 3), 4)).toBe('dryRun');
    expect(textOf(inside(force as Buffer, 2), 1)).toBe('#/parameters/force-1');
    expect(inside(body as Buffer, 1, 1).get(4)).toEqual([1]);
    expect(textOf(inside(bytes, 8, 2, 2, 8, 9, 1, 2, 1, 2, 1), 1)).toBe('#/definitions/example.Thing');
    expect(textOf(inside(bytes, 8, 2, 2, 8, 13), 1)).toBe('x-kubernetes-group-version-kind');
  });
});
