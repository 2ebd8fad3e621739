import { describe, expect, it } from 'vitest';
import { deepCopy, type JsonObject, type JsonValue } from '../json/value.ts';
import { mergePatch } from './merge-patch.ts';

describe('merge patch', () => {
  it.each<[JsonObject, JsonValue, JsonObject]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 1 }, { a: { b: null, c: [{ d: null }, null] } }, { a: { c: [{}, null] } }],
    [{ a: {} }, { a: [{ d: null }] }, { a: [{ d: null }] }],
  ])('%j with %j', (document, patch, expected) => {
    const [documentBefore, patchBefore] = [deepCopy(document), deepCopy(patch)];
    expect(mergePatch(document, patch)).toEqual(expected);
    expect(document).toEqual(documentBefore);
    expect(patch).toEqual(patchBefore);
  });

  it.each<[JsonValue, string]>([
    [null, 'Invalid JSON Patch'],
    [[1], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['x', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('%j is rejected', (patch, message) => {
    expect(() => mergePatch({}, patch)).toThrow(message);
  });

  it('keeps __proto__ a member', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":1}}') as JsonObject;
    const merged = mergePatch({}, patch);
    expect(Object.hasOwn(merged, '__proto__')).toBe(true);
    expect((merged as { polluted?: number }).polluted).toBeUndefined();
  });
});
