import { describe, expect, it } from 'vitest';
import {
  certificateBlocks,
  checkObject,
  FieldErrors,
  type JsonObject,
  type JsonValue,
  jsonPatch,
  nameIsDNSSubdomain,
  parseJson,
  parseLabelSelector,
  parseQuantity,
  strategicMergePatch,
  stringifyJsonPretty,
  type TypeDefinition,
  trimRight,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './index.ts';
import { isRequestUri } from './structural/values/formats.ts';
import { goByteQuote } from './text/go-quote.ts';

const many = 200_000;
const names = Array.from({ length: many }, (_, i) => `x/n${i}`);
const type: TypeDefinition = {
  name: 'v1.Thing',
  fields: new Map([
    ['bytes', { name: 'bytes', type: { is: 'bytes' } }],
    ['names', { name: 'names', type: { is: 'list', of: { is: 'string' } }, patchStrategy: 'merge' }],
  ]),
};
const catalogue = { get: () => type };
const object = (count: number): JsonObject => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

describe('large input takes linear time', () => {
  it.each<[string, () => unknown]>([
    ['unknown fields', () => expect(checkObject(object(many), type, catalogue).unknown).toHaveLength(100)],
    ['repeated keys', () => expect(parseJson(Buffer.from(`{${'"a":1,"b":2,'.repeat(many)}"c":3}`)).duplicates).toHaveLength(2)],
    [
      'keys repeated far down',
      () => {
        const deep = `${'{"a":'.repeat(900)}{${'"b":1,'.repeat(2 * many)}"b":1}${'}'.repeat(900)}`;
        expect(parseJson(Buffer.from(deep)).duplicates).toHaveLength(1);
      },
    ],
    ['long keys', () => checkMeta({ labels: { [`${'a-'.repeat(1_000_000)}!`]: 'x' } })],
    ['long subdomains', () => checkMeta({ annotations: { [`${'a.'.repeat(1_000_000)}/x`]: 'x' } })],
    [
      'many controllers',
      () =>
        checkMeta({
          ownerReferences: Array(20_000).fill({ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u', controller: true }),
        }),
    ],
    [
      'many finalizers',
      () => updateMeta({ finalizers: names }, { finalizers: names.slice(0, many / 2), deletionTimestamp: 'x' }),
    ],
    ['long quantities', () => expect(() => parseQuantity('1'.repeat(1_000_000))).toThrow()],
    ['long base64', () => checkObject({ bytes: `${'AAAA'.repeat(700_000)}!` }, type, catalogue)],
    ['many long quantities', () => quantities(`${'1'.repeat(250)}x`, 12_000)],
    ['long zones of addresses', () => expect(isRequestUri(`//[${'%25'.repeat(500_000)}\n`)).toBe(false)],
    ['strings that end with zeros', () => expect(trimRight(`${'0'.repeat(1_000_000)}1`, '0')).toHaveLength(1_000_001)],
    ['certificates without an end', () => expect(certificateBlocks('-----BEGIN CERTIFICATE-----a'.repeat(many))).toEqual([])],
    ['pretty-printed wide lists at a deep level', () => expect(pretty(60, 500_000).length).toBeLessThan(12 << 20)],
    ['long strings that are not durations', () => expect(goByteQuote('é"'.repeat(500_000))).toHaveLength(5_000_002)],
    ['long selectors', () => expect(() => parseLabelSelector('a in ('.repeat(many))).toThrow()],
    [
      'deletions from primitive lists',
      () => strategicMergePatch({ names }, { '$deleteFromPrimitiveList/names': names }, type, catalogue),
    ],
    ['merged lists', () => strategicMergePatch({ names }, { names: [...names].reverse() }, type, catalogue)],
    [
      'lists that move',
      () => expect(() => jsonPatch({ names }, Array(10_000).fill({ op: 'add', path: '/names/0', value: 1 }))).toThrow(),
    ],
  ])('%s', { timeout: 20_000 }, (_name, run) => {
    run();
  });
});

function pretty(depth: number, count: number): string {
  let value: JsonValue = Array(count).fill(1);
  for (let i = 0; i < depth; i++) value = [value];
  const text = stringifyJsonPretty(value);
  expect(JSON.parse(text)).toEqual(value);
  return text;
}

function quantities(text: string, count: number): void {
  for (let i = 0; i < count; i++) expect(() => parseQuantity(text)).toThrow();
}

function checkMeta(meta: JsonObject): void {
  const errors = new FieldErrors();
  validateObjectMeta({ name: 'a', ...meta }, { namespaced: false, validateName: nameIsDNSSubdomain }, errors);
  expect(errors.length).toBeGreaterThan(0);
}

function updateMeta(meta: JsonObject, old: JsonObject): void {
  validateObjectMetaUpdate(meta, old, new FieldErrors());
}
