import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { parseYaml } from './parse.ts';
import { stringifyYaml } from './stringify.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const read = async (text: string) => (await parseYaml(bytesOf(text))).value;
const refusal = (text: string | Uint8Array) =>
  parseYaml(typeof text === 'string' ? bytesOf(text) : text).then(
    () => 'accepted',
    (error: Error) => error.message,
  );

describe('YAML 1.1 scalars', () => {
  it.each<[string, JsonValue]>([
    ['yes', true],
    ['Off', false],
    ['y', true],
    ['~', null],
    ['', null],
    ['0777', 511],
    ['08', 8],
    ['0o17', 15],
    ['0x1F', 31],
    ['0b101', 5],
    ['1_000', 1000],
    ['+5', 5],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['.5', 0.5],
    ['9223372036854775807', 9223372036854775807n],
    ['12:30:45', '12:30:45'],
    ['2024-01-02', '2024-01-02'],
    ['"yes"', 'yes'],
    ["'0777'", '0777'],
    ['!!str 5', '5'],
    ['!!int "5"', 5],
    ['!!binary YWJj', 'abc'],
    ['!custom 5', '5'],
    ['"a\\n\\u0041"', 'a\nA'],
    ['|\n  a\n  b\n', 'a\nb\n'],
    ['>-\n  a\n  b\n', 'a b'],
    ['{a: 1, b: [c, no]}', { a: 1, b: ['c', false] }],
    ['{"json": [1, 2.50, null]}', { json: [1, 2.5, null] }],
  ])('%j', async (text, value) => {
    expect(await read(`k: ${text}`)).toEqual({ k: value });
  });
});

describe('documents', () => {
  it.each<[string, JsonValue]>([
    ['', null],
    ['---\n', null],
    ['a: 1\n---\nb: : :\n', { a: 1 }],
    ['%YAML 1.1\n---\na: 1\n', { a: 1 }],
    ['1: a\nyes: b\n1.5: c\n0x10: d\n', { '1': 'a', true: 'b', '1.5': 'c', '16': 'd' }],
    ['x: &a {b: 1}\nz:\n  <<: *a\n  c: 2\n', { x: { b: 1 }, z: { b: 1, c: 2 } }],
    ['x: &a {b: 1}\nz: [*a, *a]\n', { x: { b: 1 }, z: [{ b: 1 }, { b: 1 }] }],
    ['a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['<<: [{a: 1}, {a: 2, b: 3}]\n', { a: 1, b: 3 }],
  ])('%j', async (text, value) => {
    expect(await read(text)).toEqual(value);
  });

  it('reports duplicate keys; the last value wins', async () => {
    expect(await parseYaml(bytesOf('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n'))).toEqual({
      value: { a: 3, b: { c: 2 } },
      duplicates: ['yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map'],
    });
  });

  it('keeps __proto__ a key', async () => {
    const value = (await read('__proto__: {polluted: 1}\n')) as JsonObject;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
  });
});

describe('syntax errors', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
    .split('')
    .map((name, i) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[i]}`).join(',')}]\n`)
    .join('')}`;
  it.each<[string, string | Uint8Array, string | RegExp]>([
    ['an unknown anchor', 'a: *x\n', "yaml: unknown anchor 'x' referenced"],
    ['a value within itself', 'a: &a [*a]\n', "yaml: anchor 'a' value contains itself"],
    ['aliases of aliases', bomb, 'yaml: document contains excessive aliasing'],
    ['deep nesting', '['.repeat(300) + ']'.repeat(300), 'yaml: exceeded max depth of 250'],
    ['very deep nesting', '['.repeat(1_000_000), 'yaml: exceeded max depth of 250'],
    ['deep lists', `${'- '.repeat(100_000)}x`, 'yaml: exceeded max depth of 250'],
    ['a mapping in a mapping', 'a: b: c\n', 'yaml: line 1: mapping values are not allowed in this context'],
    ['an open quote', 'a: "b\n', /^yaml: line \d+: /],
    ['a list as key', '? [a]\n: b\n', 'yaml: invalid map key'],
    ['a wrong tag', 'a: !!int abc\n', 'yaml: cannot decode !!str `abc` as a !!int'],
    ['a value without a JSON form', 'a: .inf\n', 'json: unsupported value: +Inf'],
    ['no UTF-8', Uint8Array.of(0x61, 0x3a, 0x20, 0xff), 'yaml: invalid leading UTF-8 octet'],
    ['control characters', 'a: \u0001\n', 'yaml: control characters are not allowed'],
    ['a document that is too large', 'a'.repeat(3 * 1024 * 1024 + 1), 'yaml: document is too large'],
    ['a merge key with a scalar', '<<: 1\n', 'yaml: map merge requires map or sequence of maps as the value'],
  ])('%s', async (_name, text, message) => {
    if (typeof message === 'string') expect(await refusal(text)).toBe(message);
    else expect(await refusal(text)).toMatch(message);
  });
});

describe('stringifyYaml', () => {
  it.each<[JsonValue, string]>([
    [{ b: 1, a: 'x' }, 'a: x\nb: 1\n'],
    [{ c10: 1, c9: 2, 'c-1': 3, A: 4, a: 5 }, 'A: 4\na: 5\nc-1: 3\nc9: 2\nc10: 1\n'],
    [{ l: [1, { a: 'x', b: ['y'] }, [2]] }, 'l:\n- 1\n- a: x\n  b:\n  - "y"\n- - 2\n'],
    [{ a: {}, b: [], c: null, d: '' }, 'a: {}\nb: []\nc: null\nd: ""\n'],
    [
      { a: 'yes', b: '1', c: '0777', d: '2024-01-02', e: '1:30', f: 'null' },
      'a: "yes"\nb: "1"\nc: "0777"\nd: "2024-01-02"\ne: "1:30"\nf: "null"\n',
    ],
    [{ a: 'b: c', d: "it's #1", e: '- f', g: '# h', i: ' j' }, "a: 'b: c'\nd: 'it''s #1'\ne: '- f'\ng: '# h'\ni: ' j'\n"],
    [{ a: 'l1\nl2', b: 'l1\n', c: 'l1\n\n', d: ' x\ny' }, 'a: |-\n  l1\n  l2\nb: |\n  l1\nc: |+\n  l1\n\nd: |2-\n   x\n  y\n'],
    [{ a: 'tab\t', b: '😀', c: 'é' }, 'a: "tab\\t"\nb: "\\U0001F600"\nc: é\n'],
    [{ a: 1.5, b: 1234567.5, c: 9007199254740993n, d: true }, 'a: 1.5\nb: 1.2345675e+06\nc: 9007199254740993\nd: true\n'],
    [{ a: `${'x'.repeat(90)} y` }, `a: ${'x'.repeat(90)}\n  y\n`],
    [{ ['k'.repeat(129)]: { a: 1 } }, `? ${'k'.repeat(129)}\n: a: 1\n`],
    ['x', 'x\n'],
  ])('%#', (value, text) => {
    expect(stringifyYaml(value)).toBe(text);
  });

  it('limits indentation', async () => {
    let value: JsonValue = Array(20_000).fill('<1: #');
    for (let i = 0; i < 200; i++) value = i % 3 === 0 ? [value, 'x'] : { a: value, b: 'y' };
    const text = stringifyYaml(value);
    expect(text.length).toBeLessThan(1 << 20);
    expect(await read(text)).toEqual(value);
  });

  it('round-trips', async () => {
    const value = { a: ['yes', '0x1', 'l1\n l2\n', '', ' ', '<<', 'x: y', '\u2028'], '<<': 1, b: { c: { d: [[], {}] } } };
    expect(await read(stringifyYaml(value))).toEqual(value);
  });
});
