import type { JsonObject, JsonValue } from '../schema/type.ts';

/** A value as Go's %v prints it: map[a:1 b:[x y]]. */
export function goValueText(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'number') return numberText(value);
  if (typeof value !== 'object') return String(value);
  return Array.isArray(value) ? `[${value.map(goValueText).join(' ')}]` : mapText(value);
}

function mapText(object: JsonObject): string {
  const members = Object.keys(object)
    .sort()
    .map((key) => `${key}:${goValueText(object[key] as JsonValue)}`);
  return `map[${members.join(' ')}]`;
}

function numberText(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-4 && magnitude < 1e21) return String(value);
  // Go writes at least two digits of an exponent.
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
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
      return Number.isInteger(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}
