import type { JsonValue } from '../json/value.ts';
import type { Field, FieldType, Omitempty } from './type.ts';

/** How an empty field is written. */
export function omitempty(field: Field): Omitempty {
  if (field.omitempty !== undefined) return field.omitempty;
  switch (field.type.is) {
    case 'object':
      return field.default === undefined ? 'keep' : 'zero';
    case 'list':
    case 'map':
    case 'bytes':
      return field.required ? 'zero' : 'omit';
    default:
      return field.required && field.default !== undefined ? 'zero' : 'keep';
  }
}

/** The zero value of every type but objects, where it depends on the fields. */
export function zeroOf(type: FieldType): JsonValue {
  switch (type.is) {
    case 'string':
    case 'duration':
      return type.is === 'string' ? '' : '0s';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

export function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return !value;
  if (value === null) return true;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
