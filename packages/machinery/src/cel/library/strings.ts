import { dynType, intType, listType, stringType } from '../types/type.ts';
import { formatPlain } from '../values/convert.ts';
import { ArrayList, CelError, type CelList, type CelValue, codePointCount, type Int } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload } from './declarations.ts';
import { formatString } from './string-format.ts';

const strings = listType(stringType);

function outOfRange(index: Int): CelError {
  return new CelError(`index out of range: ${formatPlain(index)}`);
}

/** Whether UTF-16 units equal code points, by which indices are counted. */
function isPlain(text: string): boolean {
  return codePointCount(text) === text.length;
}

function charAt(text: string, index: Int): CelValue {
  const characters = isPlain(text) ? text : [...text];
  if (index < 0 || index > characters.length) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: Int): CelValue {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  if (isPlain(text)) return text.indexOf(part, Number(offset));
  const start = [...text].slice(0, Number(offset)).join('').length;
  const found = text.indexOf(part, start);
  return found < 0 ? -1 : codePointCount(text.slice(0, found));
}

function lastIndexOf(text: string, part: string, offset: Int): CelValue {
  if (part === '') return offset;
  if (offset < 0) return outOfRange(offset);
  const characters = [...text];
  if (offset >= characters.length) return -1;
  const found = text.lastIndexOf(part, characters.slice(0, Number(offset)).join('').length);
  return found < 0 ? -1 : codePointCount(text.slice(0, found));
}

function lastIndexInAll(text: string, part: string): CelValue {
  const size = codePointCount(text);
  if (part === '') return size;
  if (Buffer.byteLength(text) < Buffer.byteLength(part)) return -1;
  return lastIndexOf(text, part, size - 1);
}

/** A negative count replaces all occurrences. */
function replace(text: string, old: string, by: string, count: Int): CelValue {
  if (count < 0) return replaceAll(text, old, by);
  const parts = old === '' ? [...text] : text.split(old);
  if (old === '') return replaceBetween(parts, by, Number(count));
  const replaced = parts.slice(0, Number(count) + 1).join(by);
  const rest = parts.slice(Number(count) + 1);
  return rest.length === 0 ? replaced : [replaced, ...rest].join(old);
}

function replaceAll(text: string, old: string, by: string): string {
  return old === '' ? replaceBetween([...text], by, Number.POSITIVE_INFINITY) : text.split(old).join(by);
}

/** The empty string matches before every character and at the end. */
function replaceBetween(characters: readonly string[], by: string, count: number): string {
  let result = '';
  for (let i = 0; i <= characters.length; i++) result += (i < count ? by : '') + (characters[i] ?? '');
  return result;
}

function split(text: string, separator: string, count: Int): CelValue {
  if (count === 0) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (count < 0 || parts.length <= Number(count)) return new ArrayList(parts);
  const kept = parts.slice(0, Number(count) - 1);
  return new ArrayList([...kept, parts.slice(Number(count) - 1).join(separator)]);
}

function substring(text: string, start: Int, end?: Int): CelValue {
  const characters = isPlain(text) ? text : [...text];
  const last = end ?? characters.length;
  if (end !== undefined && start > last) {
    return new CelError(`invalid substring range. start: ${formatPlain(start)}, end: ${formatPlain(end)}`);
  }
  if (start < 0 || start > characters.length) return outOfRange(start);
  if (last < 0 || last > characters.length) return outOfRange(last);
  const part = characters.slice(Number(start), Number(last));
  return typeof part === 'string' ? part : part.join('');
}

function join(list: CelList, separator: string): CelValue {
  const parts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${formatPlain(item)}`);
    parts.push(item);
  }
  return parts.join(separator);
}

const quoteEscapes: { readonly [character: string]: string } = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are written as escapes.
  return `"${text.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quoteEscapes[character] ?? character)}"`;
}

/** White space as in Go's unicode.IsSpace. */
const space = /[\t\n\v\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

function trim(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && space.test(text.charAt(start))) start++;
  while (end > start && space.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

export const stringsLibrary: CelLibrary = {
  functions: [
    declare('charAt', memberOverload('string_char_at_int', [stringType, intType], stringType, charAt)),
    declare(
      'indexOf',
      memberOverload('string_index_of_string', [stringType, stringType], intType, (s: string, p: string) => indexOf(s, p, 0)),
      memberOverload('string_index_of_string_int', [stringType, stringType, intType], intType, indexOf),
    ),
    declare(
      'lastIndexOf',
      memberOverload('string_last_index_of_string', [stringType, stringType], intType, lastIndexInAll),
      memberOverload('string_last_index_of_string_int', [stringType, stringType, intType], intType, lastIndexOf),
    ),
    declare(
      'lowerAscii',
      memberOverload('string_lower_ascii', [stringType], stringType, (s: string) =>
        s.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
      ),
    ),
    declare(
      'upperAscii',
      memberOverload('string_upper_ascii', [stringType], stringType, (s: string) =>
        s.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ),
    ),
    declare(
      'replace',
      memberOverload('string_replace_string_string', [stringType, stringType, stringType], stringType, replaceAll),
      memberOverload('string_replace_string_string_int', [stringType, stringType, stringType, intType], stringType, replace),
    ),
    declare(
      'split',
      memberOverload('string_split_string', [stringType, stringType], strings, (s: string, p: string) => split(s, p, -1)),
      memberOverload('string_split_string_int', [stringType, stringType, intType], strings, split),
    ),
    declare(
      'substring',
      memberOverload('string_substring_int', [stringType, intType], stringType, (s: string, i: Int) => substring(s, i)),
      memberOverload('string_substring_int_int', [stringType, intType, intType], stringType, substring),
    ),
    declare('trim', memberOverload('string_trim', [stringType], stringType, trim)),
    declare(
      'join',
      memberOverload('list_join', [strings], stringType, (list: CelList) => join(list, '')),
      memberOverload('list_join_string', [strings, stringType], stringType, join),
    ),
  ],
};

/** `format`, added in 1.29. */
export const stringFormatLibrary: CelLibrary = {
  functions: [
    declare('format', memberOverload('string_format', [stringType, listType(dynType)], stringType, formatString)),
    declare('strings.quote', globalOverload('strings_quote', [stringType], stringType, quote)),
  ],
};
