import { describe, expect, it } from 'vitest';
import type { StatusError } from '../errors/status-error.ts';
import { deepCopy, type JsonObject, type JsonValue } from '../json/value.ts';
import { jsonPatch, jsonPatchStrictErrors } from './json-patch.ts';

function failureOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not fail');
}

describe('operations that apply', () => {
  it.each<[string, JsonValue, JsonValue, JsonValue]>([
    ['add a member', { a: 1 }, [{ op: 'add', path: '/b', value: { c: 2 } }], { a: 1, b: { c: 2 } }],
    ['add over a member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['add an item', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['add at the end', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['add at the length', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
    ['add from the end', { a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    ['add without value', { a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
    ['remove a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['remove an item', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
    ['replace a missing member', { a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['replace everything', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    ['move', { a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
    ['copy', { a: { b: 1 } }, [{ op: 'copy', from: '/a', path: '/c' }], { a: { b: 1 }, c: { b: 1 } }],
    [
      'copies do not share',
      { a: { b: 1 } },
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/b', value: 2 },
      ],
      { a: { b: 1 }, c: { b: 2 } },
    ],
    [
      'escapes',
      { 'a/b': 1, 'm~n': 2, '~1': 3 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/~01' },
      ],
      { 'm~n': 2 },
    ],
    [
      'test',
      { a: { b: [1, { c: null }] } },
      [{ op: 'test', path: '/a', value: { b: [1, { c: null }] } }],
      { a: { b: [1, { c: null }] } },
    ],
    ['test a missing member', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
    ['nothing', { a: 1 }, [], { a: 1 }],
  ])('%s', (_name, document, patch, expected) => {
    const [documentBefore, patchBefore] = [deepCopy(document), deepCopy(patch)];
    expect(jsonPatch(document, patch)).toEqual(expected);
    expect(document).toEqual(documentBefore);
    expect(patch).toEqual(patchBefore);
  });

  it('treats __proto__ as a member', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]) as JsonObject;
    expect(Object.hasOwn(patched, '__proto__')).toBe(true);
    expect(failureOf(() => jsonPatch({}, [{ op: 'add', path: '/constructor/x', value: 1 }])).code).toBe(422);
  });
});

describe('operations that do not apply', () => {
  it.each<[string, JsonValue, JsonValue]>([
    ['failed test', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }]],
    [
      'later failure',
      { a: 1 },
      [
        { op: 'add', path: '/b', value: 1 },
        { op: 'remove', path: '/nope' },
      ],
    ],
    ['missing parent', { a: 1 }, [{ op: 'add', path: '/b/c', value: 1 }]],
    ['scalar parent', { a: 1 }, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['remove missing', { a: 1 }, [{ op: 'remove', path: '/b' }]],
    ['index too large', { a: [] }, [{ op: 'add', path: '/a/1', value: 1 }]],
    ['index too small', { a: [] }, [{ op: 'remove', path: '/a/-1' }]],
    ['no index', { a: [1] }, [{ op: 'remove', path: '/a/x' }]],
    ['add to the root', { a: 1 }, [{ op: 'add', path: '', value: {} }]],
    ['replace the root by a scalar', { a: 1 }, [{ op: 'replace', path: '', value: 1 }]],
    ['move into itself', { a: { b: {} } }, [{ op: 'move', from: '/a', path: '/a/b/c' }]],
    ['unknown operation', { a: 1 }, [{ op: 'frob', path: '/a' }]],
    ['no operation', { a: 1 }, [null]],
    ['no path', { a: 1 }, [{ op: 'remove' }]],
  ])('%s', (_name, document, patch) => {
    const before = deepCopy(document);
    const error = failureOf(() => jsonPatch(document, patch));
    expect(error).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
    });
    expect(document).toEqual(before);
  });

  it.each<[JsonValue, number, string]>([
    [{}, 400, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [['x'], 400, 'json: cannot unmarshal string into Go value of type jsonpatch.Operation'],
    [
      new Array(10_001).fill({ op: 'test', path: '' }),
      413,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ],
  ])('%#', (patch, code, message) => {
    expect(failureOf(() => jsonPatch({}, patch))).toMatchObject({ code, message });
  });

  it('limits copies to three megabytes', () => {
    const patch = Array.from({ length: 12 }, (_, i) => ({ op: 'copy', from: '/a', path: `/a/${i}` }));
    const error = failureOf(() => jsonPatch({ a: { x: 'x'.repeat(100_000) } }, patch));
    expect((error.cause as Error).message).toMatch(/^Unable to complete the copy, .* exceeding the limit 3145728$/);
  });

  it('reports strict errors', () => {
    expect(jsonPatchStrictErrors([{ op: 'add', path: '/a', values: 1 }])).toEqual(['json patch unknown field "[0].values"']);
    expect(failureOf(() => jsonPatchStrictErrors({})).message).toBe(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
  });
});
