import { isNumberLiteral, type ParsedObject, type ParsedValue } from './number-literal.ts';
import { type JsonValue, setKey } from './value.ts';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const needingEscape = /[<>&\u2028\u2029]/g;

/** JSON as Go writes it: `<`, `>` and `&` are escaped, 64-bit integers are exact. */
export function stringifyJson(value: ParsedValue): string {
  return escapeHtml(toJson(value));
}

/** The same, pretty-printed with two spaces per level, starting at `indent`. */
export function stringifyJsonPretty(value: ParsedValue, indent = ''): string {
  return escapeHtml(exactJson(value, `\n${indent}`));
}

function toJson(value: ParsedValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // JSON.stringify throws on a bigint and on a NumberLiteral. They are too rare to search for first.
    return exactJson(value, '');
  }
}

/** Five searches that stop at the first hit are many times faster than one for any of the five. */
function escapeHtml(json: string): string {
  const clean =
    !json.includes('<') && !json.includes('>') && !json.includes('&') && !json.includes('\u2028') && !json.includes('\u2029');
  return clean ? json : json.replace(needingEscape, (character) => escapes[character] ?? character);
}

/** Deeper levels are written on one line: their indentation could be a thousand times longer than the values. */
export const maxIndentedLevels = 64;
/** Characters of indentation per value; the rest is not indented. A wide list at a deep level would grow a hundredfold. */
const maxIndentation = 8 << 20;
const deepestNewline = `\n${'  '.repeat(maxIndentedLevels)}`;

/** `newline` separates members: nothing, or a line feed and the indentation of this level. */
function exactJson(value: ParsedValue, newline: string): string {
  const out = { text: '', indentation: 0 };
  write(out, value, newline);
  return out.text;
}

interface Written {
  text: string;
  /** Characters of indentation in `text`. */
  indentation: number;
}

/** Appends to one string. Joining the strings of members would copy the innermost text once per level. */
function write(out: Written, value: ParsedValue, newline: string): void {
  if (typeof value === 'bigint') out.text += value.toString();
  else if (typeof value !== 'object' || value === null) out.text += JSON.stringify(value);
  else if (isNumberLiteral(value)) out.text += value.text;
  else if (newline === deepestNewline || (newline !== '' && out.indentation > maxIndentation)) write(out, value, '');
  else if (Array.isArray(value)) writeList(out, value, newline);
  else writeObject(out, value, newline);
}

function writeList(out: Written, list: readonly ParsedValue[], newline: string): void {
  if (list.length === 0) {
    out.text += '[]';
    return;
  }
  const inner = newline && `${newline}  `;
  let before = `[${inner}`;
  for (const value of list) {
    out.text += before;
    out.indentation += inner.length;
    write(out, value, inner);
    before = out.indentation > maxIndentation ? ',' : `,${inner}`;
  }
  out.text += `${newline}]`;
}

function writeObject(out: Written, object: ParsedObject, newline: string): void {
  const keys = Object.keys(object);
  if (keys.length === 0) {
    out.text += '{}';
    return;
  }
  const inner = newline && `${newline}  `;
  const colon = newline === '' ? ':' : ': ';
  let before = `{${inner}`;
  for (const key of keys) {
    out.text += `${before}${JSON.stringify(key)}${colon}`;
    out.indentation += inner.length;
    write(out, object[key] as ParsedValue, inner);
    before = out.indentation > maxIndentation ? ',' : `,${inner}`;
  }
  out.text += `${newline}}`;
}

/** Sorts the keys of all objects: the order in which Kubernetes writes objects whose type it does not know. */
export function sortKeys<T extends ParsedValue>(value: T): T {
  return sorted(value) as T;
}

function sorted(value: ParsedValue): ParsedValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const copy: ParsedObject = {};
  for (const key of Object.keys(value).sort()) setKey(copy, key, sorted(value[key] as ParsedValue));
  return copy;
}

/** The same text for equal values, in the sense of deepEqual. */
export function canonicalJson(value: JsonValue): string {
  return stringifyJson(sortKeys(value));
}
