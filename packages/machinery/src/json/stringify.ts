import { isNumberLiteral } from './number-literal.ts';
import { type JsonObject, type JsonValue, setKey } from './value.ts';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const needingEscape = /[<>&\u2028\u2029]/g;

/** JSON as Kubernetes writes it: what could be taken for HTML is escaped, and 64-bit integers are exact. */
export function stringifyJson(value: JsonValue): string {
  return escapeHtml(toJson(value));
}

/** The same over several lines, each level indented by two spaces more than `indent`. */
export function stringifyJsonPretty(value: JsonValue, indent = ''): string {
  return escapeHtml(exactJson(value, `\n${indent}`));
}

function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint or a NumberLiteral, which JSON.stringify refuses, is too rare to look for first.
    return exactJson(value, '');
  }
}

/** Five searches that stop at the first hit are many times faster than one for any of the five. */
function escapeHtml(json: string): string {
  const clean =
    !json.includes('<') && !json.includes('>') && !json.includes('&') && !json.includes('\u2028') && !json.includes('\u2029');
  return clean ? json : json.replace(needingEscape, (character) => escapes[character] ?? character);
}

/** Levels that are indented. Beyond them a value is one line: indentation could be a thousand times as long as what is indented. */
export const maxIndentedLevels = 64;
/** Indentation of a whole value, in characters. What follows is not indented: a wide list far down would grow by the hundredfold. */
export const maxIndentation = 8 << 20;
const deepestNewline = `\n${'  '.repeat(maxIndentedLevels)}`;

/** `newline` separates members: nothing, or a line feed and the indentation of this level. */
function exactJson(value: JsonValue, newline: string): string {
  const out = { text: '', indentation: 0 };
  write(out, value, newline);
  return out.text;
}

interface Written {
  text: string;
  /** Characters of it that are indentation. */
  indentation: number;
}

/** Appends, rather than joining what members give, which would copy the text of the innermost once for each level. */
function write(out: Written, value: JsonValue, newline: string): void {
  if (typeof value === 'bigint') out.text += value.toString();
  else if (typeof value !== 'object' || value === null) out.text += JSON.stringify(value);
  else if (isNumberLiteral(value)) out.text += value.text;
  else if (newline === deepestNewline || (newline !== '' && out.indentation > maxIndentation)) write(out, value, '');
  else if (Array.isArray(value)) writeList(out, value, newline);
  else writeObject(out, value, newline);
}

function writeList(out: Written, list: readonly JsonValue[], newline: string): void {
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

function writeObject(out: Written, object: JsonObject, newline: string): void {
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
    write(out, object[key] as JsonValue, inner);
    before = out.indentation > maxIndentation ? ',' : `,${inner}`;
  }
  out.text += `${newline}}`;
}

/** The same value with the keys of all objects sorted: the order in which Kubernetes writes objects whose type it does not know. */
export function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setKey(sorted, key, sortKeys(value[key] as JsonValue));
  return sorted;
}

/** Text that is the same for equal values, so that a set of them finds what deepEqual would. */
export function canonicalJson(value: JsonValue): string {
  return stringifyJson(sortKeys(value));
}
