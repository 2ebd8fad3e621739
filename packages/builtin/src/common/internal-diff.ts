import { type JsonObject, type JsonValue, unifiedDiff } from '@tsukube/machinery';
import { internalForm } from './internal-types.ts';

/** More than any pod that people write; comparing takes time with the square of it. */
const maxLines = 5_000;

/** What changed in the spec of a pod, for people to read. */
export function specDiff(old: JsonObject, now: JsonObject): string {
  return diff(shownPodSpec(old), shownPodSpec(now));
}

/** The spec of a pod as messages show it whole. */
export function shownPodSpec(spec: JsonObject): JsonObject {
  return internalForm(withHostFields(spec), 'PodSpec');
}

export function containerDiff(old: JsonObject, now: JsonObject): string {
  return internalDiff(old, now, 'EphemeralContainer');
}

/** The same of any type that messages show. */
export function internalDiff(old: JsonObject, now: JsonObject, type: string): string {
  return diff(internalForm(old, type), internalForm(now, type));
}

function diff(old: JsonValue, now: JsonValue): string {
  const before = `${indented(old, '')}\n`.split('\n').slice(0, -1);
  const after = `${indented(now, '')}\n`.split('\n').slice(0, -1);
  return before.length > maxLines || after.length > maxLines ? '' : unifiedDiff(before, after);
}

const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

function withHostFields(spec: JsonObject): JsonObject {
  const context: JsonObject = { ...(spec.securityContext as JsonObject | undefined) };
  for (const field of hostFields) if (spec[field] !== undefined) context[field] = spec[field];
  return { ...spec, securityContext: context };
}

/** As Go writes JSON for people: one space for each level, and safe to put into a page. */
function indented(value: JsonValue, indent: string): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value !== 'object') return String(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + indented(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${quoted(key)}: ${indented(item, inner)}`).join(',\n')}\n${indent}}`;
}

const escapes = /[<>&\u2028\u2029]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replace(escapes, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
