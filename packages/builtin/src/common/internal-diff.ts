import { type JsonObject, type JsonValue, objectIn, unifiedDiff } from '@tsukube/machinery';
import { internalForm } from './internal-types.ts';

/** Above this no diff is shown: the time to compute it is quadratic in the number of lines. */
const maxLines = 5_000;

/** A unified diff of two pod specs for error messages. */
export function podSpecDiff(old: JsonObject, now: JsonObject): string {
  return diff(internalPodSpec(old), internalPodSpec(now));
}

/** A pod spec in the form of the internal Go type, as error messages print it. */
export function internalPodSpec(spec: JsonObject): JsonObject {
  return internalForm(withHostFields(spec), 'PodSpec');
}

export function containerDiff(old: JsonObject, now: JsonObject): string {
  return internalDiff(old, now, 'EphemeralContainer');
}

/** A unified diff of two values of an internal Go type. */
export function internalDiff(old: JsonObject, now: JsonObject, type: string): string {
  return diff(internalForm(old, type), internalForm(now, type));
}

function diff(old: JsonValue, now: JsonValue): string {
  const before = `${indented(old, '')}\n`.split('\n').slice(0, -1);
  const after = `${indented(now, '')}\n`.split('\n').slice(0, -1);
  return before.length > maxLines || after.length > maxLines ? '' : unifiedDiff(before, after);
}

const hostFields = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];

/** In the internal type the host namespaces are fields of the security context. */
function withHostFields(spec: JsonObject): JsonObject {
  const context: JsonObject = { ...objectIn(spec, 'securityContext') };
  for (const field of hostFields) if (spec[field] !== undefined) context[field] = spec[field];
  return { ...spec, securityContext: context };
}

/** Go's `json.MarshalIndent` with one space per level and HTML escaping. */
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
