import type { JsonValue } from '../schema/type.ts';
import { isWrittenNumber } from './written-number.ts';

/** What Go says of a JSON value that does not fit a type. */
export function cannotUnmarshal(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;
}

/** What Go calls a JSON value in its messages. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' || isWrittenNumber(value) ? 'number' : typeof value;
}
