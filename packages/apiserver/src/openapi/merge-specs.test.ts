import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { type LocalSpec, mergeSpecs, type RemoteSpec, specOfPaths } from './merge-specs.ts';
import { misshapenPiece } from './spec-shape.ts';

const kind = (group: string) => ({ group, version: 'v1', kind: 'DeleteOptions' });
const gvks = 'x-kubernetes-group-version-kind';
const get = (name: string) => ({ get: { responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } } } });

function localSpec(definitions: Record<string, JsonObject>, parameters: Record<string, JsonObject> = {}): LocalSpec {
  return {
    hasPath: (path) => path === '/apis/own/v1/',
    definition: (name) => definitions[name],
    parameter: (name) => parameters[name],
  };
}

function spec(path: string, definitions: Record<string, JsonObject>, parameters: Record<string, JsonObject> = {}): RemoteSpec {
  const [first = ''] = Object.keys(definitions);
  return { paths: [[path, get(first)]], definitions: Object.entries(definitions), parameters: Object.entries(parameters) };
}

describe('mergeSpecs', () => {
  it('renames definitions whose name is taken, and the references to them', async () => {
    const local = localSpec({ A: { type: 'object' }, A_v2: { type: 'integer' } });
    const merged = await mergeSpecs(local, [spec('/apis/x/v1/', { A: { type: 'string' } })]);
    expect(merged.definitions).toEqual([['A_v3', { type: 'string' }]]);
    expect(merged.paths).toEqual([['/apis/x/v1/', get('A_v3')]]);
  });

  it('reuses a renamed definition, and does not take a name of the same spec', async () => {
    const local = localSpec({ A: { type: 'object' } });
    const other = { A: { type: 'string' } };
    const merged = await mergeSpecs(local, [
      spec('/apis/x/v1/', other),
      spec('/apis/y/v1/', { ...other, B: { items: { $ref: '#/definitions/A' } } }),
      spec('/apis/z/v1/', { A: { type: 'boolean' }, A_v3: { type: 'number' } }),
    ]);
    expect(merged.definitions).toEqual([
      ['A_v2', { type: 'string' }],
      ['B', { items: { $ref: '#/definitions/A_v2' } }],
      ['A_v4', { type: 'boolean' }],
      ['A_v3', { type: 'number' }],
    ]);
  });

  it('merges the kinds of equal definitions', async () => {
    const local = localSpec({ DeleteOptions: { type: 'object', [gvks]: [kind('b'), kind('z')] } });
    const remote = (group: string) => spec(`/apis/${group}/v1/`, { DeleteOptions: { type: 'object', [gvks]: [kind(group)] } });
    const merged = await mergeSpecs(local, [remote('c'), remote('z'), remote('a')]);
    expect(merged.definitions).toEqual([]);
    const kinds = ['a', 'b', 'c', 'z'].map(kind);
    expect([...merged.replaced]).toEqual([['DeleteOptions', { type: 'object', [gvks]: kinds }]]);
  });

  it('renames parameters, and keeps equal ones', async () => {
    const local = localSpec({}, { limit: { name: 'limit' }, watch: { name: 'watch' } });
    const remote = spec('/apis/x/v1/', { A: {} }, { limit: { name: 'limit', in: 'query' }, watch: { name: 'watch' } });
    const merged = await mergeSpecs(local, [
      { ...remote, paths: [['/apis/x/v1/', { parameters: [{ $ref: '#/parameters/limit' }] }]] },
    ]);
    expect(merged.parameters).toEqual([['limit_v2', { name: 'limit', in: 'query' }]]);
    expect(merged.paths[0]?.[1]).toEqual({ parameters: [{ $ref: '#/parameters/limit_v2' }] });
  });

  it('leaves out paths that are served already, with their definitions', async () => {
    const merged = await mergeSpecs(localSpec({}), [
      {
        paths: [
          ['/apis/own/v1/', get('Mine')],
          ['/apis/x/v1/', get('Theirs')],
        ],
        definitions: [
          ['Mine', {}],
          ['Theirs', {}],
        ],
        parameters: [],
      },
      spec('/apis/x/v1/', { Late: {} }),
    ]);
    expect(merged.paths.map(([path]) => path)).toEqual(['/apis/x/v1/']);
    expect(merged.definitions).toEqual([['Theirs', {}]]);
  });
});

describe('specOfPaths', () => {
  it('keeps definitions that are reachable, and those that never were', () => {
    const whole: RemoteSpec = {
      paths: [
        ['/apis/a/v1/', { parameters: [{ $ref: '#/parameters/body' }] }],
        ['/apis/b/v1/', get('B')],
      ],
      definitions: [
        ['A', { properties: { next: { $ref: '#/definitions/A' } } }],
        ['B', {}],
        ['Unused', {}],
      ],
      parameters: [['body', { schema: { $ref: '#/definitions/A' } }]],
    };
    const kept = specOfPaths(whole, (path) => path.startsWith('/apis/a/v1/'));
    expect(kept.definitions.map(([name]) => name)).toEqual(['A', 'Unused']);
  });
});

describe('misshapenPiece', () => {
  it.each([
    [{ properties: { a: { description: 7 } } }, 'A'],
    [{ properties: [] }, 'A'],
    [{ type: ['object', 'null'], items: { allOf: [{}] }, additionalProperties: false, 'x-other': 1 }, undefined],
    [{ required: 'name' }, 'A'],
  ])('of the definition %j is %s', (definition, expected) => {
    expect(misshapenPiece({ paths: [], definitions: [['A', definition as JsonObject]], parameters: [] })).toBe(expected);
  });

  it('finds operations of another form', () => {
    const paths: [string, JsonObject][] = [['/a', { get: { tags: ['x'], responses: { 200: 'OK' } } }]];
    expect(misshapenPiece({ paths, definitions: [], parameters: [] })).toBe('/a');
  });
});
