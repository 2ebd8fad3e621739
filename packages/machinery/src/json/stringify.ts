import type { JsonObject, JsonValue } from '../schema/type.ts';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};
const escaped = /[<>&\u2028\u2029]/;
const allEscaped = /[<>&\u2028\u2029]/g;

/** JSON as Kubernetes writes it: what could be taken for HTML is escaped, and 64-bit integers are exact. */
export function stringifyJson(value: JsonValue): string {
  return escapeHtml(toJson(value));
}

function toJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A bigint, which JSON.stringify refuses, is too rare to look for first.
    return exactJson(value);
  }
}

function escapeHtml(json: string): string {
  return escaped.test(json) ? json.replace(allEscaped, (character) => escapes[character] ?? character) : json;
}

function exactJson(value: JsonValue): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Array.isArray(value) ? `[${value.map(exactJson).join(',')}]` : exactObject(value);
}

function exactObject(object: JsonObject): string {
  const members = Object.keys(object).map((key) => `${JSON.stringify(key)}:${exactJson(object[key] as JsonValue)}`);
  return `{${members.join(',')}}`;
}
