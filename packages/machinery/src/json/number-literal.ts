import type { JsonValue } from './value.ts';

/**
 * A number that keeps its spelling, like Go's json.Number: `1.0`, `1e2`, `99999999999999999999`. An integer field refuses
 * it and quotes it as it was written. The parser yields them only on request (`NumberForm`), and only for numbers that are
 * not spelled as an exact integer; decoding against a type leaves none.
 */
export class NumberLiteral {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }

  /** JSON.stringify could only write the value, so it must not be used. */
  toJSON(): never {
    throw new TypeError('a number literal must be written with stringifyJson');
  }
}

/** A parsed value whose numbers may be literals. Every JsonValue is one. */
export type ParsedValue = null | boolean | number | bigint | string | NumberLiteral | ParsedValue[] | ParsedObject;

export interface ParsedObject {
  [key: string]: ParsedValue;
}

export function isNumberLiteral(value: unknown): value is NumberLiteral {
  return value instanceof NumberLiteral;
}

export function isParsedObject(value: ParsedValue | undefined): value is ParsedObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumberLiteral(value);
}

/** Replaces all literals by plain numbers, in place. */
export function withPlainNumbers(value: ParsedValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isNumberLiteral(value)) return value.value;
  const members = value as ParsedObject;
  for (const key of Object.keys(members)) {
    const member = members[key] as ParsedValue;
    if (typeof member === 'object') members[key] = withPlainNumbers(member);
  }
  return value as JsonValue;
}
