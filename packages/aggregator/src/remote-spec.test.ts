import { describe, expect, it } from 'vitest';
import { membersOf } from './json-members.ts';
import { parseSpec } from './remote-spec.ts';

const text = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

describe('membersOf', () => {
  it.each([
    ['{}', []],
    [' { } ', []],
    ['{"a":1}', [['a', '1']]],
    [
      '{ "a" : [1, {"b":"}"}] ,\n"c\\"":"x\\\\" }',
      [
        ['a', '[1, {"b":"}"}]'],
        ['c"', '"x\\\\"'],
      ],
    ],
    [
      '{"a":{"b":{}},"c":null}',
      [
        ['a', '{"b":{}}'],
        ['c', 'null'],
      ],
    ],
  ])('finds the members of %s', (json, expected) => {
    const bytes = text(json);
    const found = [...membersOf(bytes)].map(({ name, start, end }) => [name, bytes.subarray(start, end).toString().trim()]);
    expect(found).toEqual(expected);
  });

  it.each(['', '[1]', '{"a"', '{"a":', '{"a":1', '{a:1}', '{"a":"'])('rejects %j', (json) => {
    expect(() => [...membersOf(text(json))]).toThrow('invalid JSON');
  });
});

describe('parseSpec', () => {
  it('keeps the definitions of a group version', async () => {
    const reference = { get: { responses: { 200: { schema: { $ref: '#/definitions/Mine' } } } } };
    const other = { get: { responses: { 200: { schema: { $ref: '#/definitions/Other' } } } } };
    const document = {
      swagger: '2.0',
      paths: { '/apis/a/v1/flunders': reference, '/apis/a/v2/flunders': other, '/healthz': {} },
      definitions: { Mine: { type: 'object' }, Other: { type: 'object' } },
    };
    const { paths, definitions } = await parseSpec(text(document), '/apis/a/v1/');
    expect(paths).toEqual([['/apis/a/v1/flunders', reference]]);
    expect(definitions).toEqual([['Mine', { type: 'object' }]]);
  });

  it.each([
    ['no JSON', '<html>'],
    ['paths that are a list', { paths: [] }],
    ['a definition that is a string', { definitions: { A: 'x' } }],
    ['a definition of another form', { paths: {}, definitions: { A: { properties: { b: { description: 1 } } } } }],
    ['a definition that is too large', { definitions: { A: { description: 'x'.repeat(2 << 20) } } }],
  ])('rejects %s', async (_, document) => {
    await expect(parseSpec(text(document), '/apis/a/v1/')).rejects.toThrow();
  });
});
