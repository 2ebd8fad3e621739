import type { JsonObject, JsonValue } from '../schema/type.ts';
import { isWrittenNumber } from './written-number.ts';

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

/** The same over several lines, each level indented by two spaces. */
export function stringifyJsonPretty(value: JsonValue): string {
  return escapeHtml(exactJson(value, '\n'));
}

function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint or a WrittenNumber, which JSON.stringify refuses, is too rare to look for first.
    return exactJson(value, '');
  }
}

/** Five searches that stop at the first hit are many times faster than one for any of the five. */
function escapeHtml(json: string): string {
  const clean =
    !json.includes('<') && !json.includes('>') && !json.includes('&') && !json.includes('\u2028') && !json.includes('\u2029');
  return clean ? json : json.replace(needingEscape, (character) => escapes[character] ?? character);
}

/** `newline` is what separates members: nothing, or a line feed and the indentation of this level. */
function exactJson(value: JsonValue, newline: string): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isWrittenNumber(value)) return value.text;
  return Array.isArray(value) ? exactList(value, newline) : exactObject(value, newline);
}

function exactList(list: readonly JsonValue[], newline: string): string {
  if (list.length === 0) return '[]';
  const inner = newline && `${newline}  `;
  return `[${inner}${list.map((value) => exactJson(value, inner)).join(`,${inner}`)}${newline}]`;
}

function exactObject(object: JsonObject, newline: string): string {
  const keys = Object.keys(object);
  if (keys.length === 0) return '{}';
  const inner = newline && `${newline}  `;
  const colon = newline === '' ? ':' : ': ';
  const members = keys.map((key) => `${JSON.stringify(key)}${colon}${exactJson(object[key] as JsonValue, inner)}`);
  return `{${inner}${members.join(`,${inner}`)}${newline}}`;
}
