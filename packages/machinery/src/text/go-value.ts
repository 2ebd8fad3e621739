import type { JsonObject, JsonValue } from '../schema/type.ts';
import { goFloatText } from './go-float.ts';

/** A value as Go's %v prints it: map[a:1 b:[x y]]. */
export function goValueText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloatText(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? `[${value.map(goValueText).join(' ')}]` : mapText(value);
}

function mapText(object: JsonObject): string {
  const members = Object.keys(object)
    .sort()
    .map((key) => `${key}:${goValueText(object[key] as JsonValue)}`);
  return `map[${members.join(' ')}]`;
}

/** The name of the Go type that holds a JSON value. */
export function goTypeText(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int64';
    case 'number':
      return Number.isSafeInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
