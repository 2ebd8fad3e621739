import { maxIndentedLevels, stringifyJson } from '../json/stringify.ts';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { goFloatText } from '../text/go-value.ts';
import { isMultiline, styleOf, YamlWriter } from './writer.ts';

/** Longer keys are written as explicit keys (`? key`). */
const maxSimpleKey = 128;

/** YAML with the formatting of Go's yaml package. */
export function stringifyYaml(value: JsonValue): string {
  const writer = new YamlWriter();
  writeNode(writer, value, false);
  return writer.finish();
}

function writeNode(writer: YamlWriter, value: JsonValue, inMapping: boolean): void {
  if (typeof value !== 'object' || value === null) writeScalar(writer, value);
  // JSON is YAML, without the indentation.
  else if (writer.indent >= 2 * maxIndentedLevels) writer.indicator(stringifyJson(value), { spaceBefore: true });
  else if (Array.isArray(value)) writeList(writer, value, inMapping);
  else writeMapping(writer, value);
}

/** The items of a sequence in a mapping are not indented. */
function writeList(writer: YamlWriter, list: readonly JsonValue[], inMapping: boolean): void {
  if (list.length === 0) {
    writer.indicator('[', { spaceBefore: true });
    writer.indicator(']');
    return;
  }
  const indent = writer.indent;
  writer.indent = nextIndent(indent, inMapping && !writer.indention);
  for (const item of list) {
    writer.startLine();
    writer.indicator('-', { spaceBefore: true, indents: true });
    writeNode(writer, item, false);
  }
  writer.indent = indent;
}

function writeMapping(writer: YamlWriter, object: JsonObject): void {
  const keys = Object.keys(object).sort(compareYamlKeys);
  if (keys.length === 0) {
    writer.indicator('{', { spaceBefore: true });
    writer.indicator('}');
    return;
  }
  const indent = writer.indent;
  writer.indent = nextIndent(indent, false);
  for (const key of keys) {
    writer.startLine();
    writeKey(writer, key);
    writeNode(writer, object[key] as JsonValue, true);
  }
  writer.indent = indent;
}

function writeKey(writer: YamlWriter, key: string): void {
  if (!isMultiline(key) && Buffer.byteLength(key) <= maxSimpleKey) {
    writer.scalar(key, styleOf(key, true), true);
    writer.indicator(':');
    return;
  }
  writer.indicator('?', { spaceBefore: true, indents: true });
  writeScalar(writer, key);
  writer.startLine();
  writer.indicator(':', { spaceBefore: true, indents: true });
}

/** Continuation lines of a scalar are indented one level deeper. */
function writeScalar(writer: YamlWriter, value: null | boolean | number | bigint | string): void {
  const indent = writer.indent;
  writer.indent = indent < 0 ? 2 : indent + 2;
  if (typeof value === 'string') writer.scalar(value, styleOf(value, false), false);
  else writer.scalar(plainText(value), 'plain', false);
  writer.indent = indent;
}

function plainText(value: null | boolean | number | bigint): string {
  return typeof value === 'number' && !Number.isInteger(value) ? goFloatText(value) : String(value);
}

function nextIndent(indent: number, indentless: boolean): number {
  if (indent < 0) return 0;
  return indentless ? indent : indent + 2;
}

const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

/** The key order of Go's yaml package: digits within keys compare as numbers, letters come last. */
export function compareYamlKeys(a: string, b: string): number {
  if (a === b) return 0;
  return isLess([...a], [...b]) ? -1 : 1;
}

function isLess(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [left = '', right = ''] = [a[i], b[i]];
    if (left === right) continue;
    const [leftIsLetter, rightIsLetter] = [letter.test(left), letter.test(right)];
    if (leftIsLetter && rightIsLetter) return codeOf(left) < codeOf(right);
    if (leftIsLetter || rightIsLetter) return rightIsLetter;
    return isLessNumber(a, b, i);
  }
  return a.length < b.length;
}

function isLessNumber(a: readonly string[], b: readonly string[], start: number): boolean {
  // A zero within a number counts as a digit, one that begins a number does not.
  const within = (a[start] === '0' || b[start] === '0') && followsNonZero(a, start) ? 1n : 0n;
  const [left, right] = [readNumber(a, start, within), readNumber(b, start, within)];
  if (left.value !== right.value) return left.value < right.value;
  if (left.end !== right.end) return left.end < right.end;
  return codeOf(a[start]) < codeOf(b[start]);
}

function followsNonZero(characters: readonly string[], start: number): boolean {
  for (let i = start - 1; i >= 0 && digit.test(characters[i] ?? ''); i--) if (characters[i] !== '0') return true;
  return false;
}

function readNumber(characters: readonly string[], start: number, initial: bigint): { value: bigint; end: number } {
  let value = initial;
  let end = start;
  for (; end < characters.length && digit.test(characters[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(characters[end]) - 0x30));
  }
  return { value, end };
}

function codeOf(character: string | undefined): number {
  return character?.codePointAt(0) ?? 0;
}
