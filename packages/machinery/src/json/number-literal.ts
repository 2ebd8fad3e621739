import type { JsonValue } from './value.ts';

/**
 * A number that was not written as an integer that is exact: `1.0`, `1e2`, `99999999999999999999`. Where an integer is
 * wanted it is refused, whatever it amounts to, and quoted as it was written. Made only where that is asked for; what
 * checks an object against its type leaves none.
 */
export class NumberLiteral {
  readonly value: number;
  readonly text: string;

  constructor(value: number, text: string) {
    this.value = value;
    this.text = text;
  }

  /** JSON.stringify could only write the value. */
  toJSON(): never {
    throw new TypeError('a number is to be written as it was read');
  }
}

/** Stands where numbers stand; those who may meet one know. */
export function writtenNumber(value: number, text: string): JsonValue {
  return new NumberLiteral(value, text) as unknown as JsonValue;
}

export function isNumberLiteral(value: unknown): value is NumberLiteral {
  return value instanceof NumberLiteral;
}

/** The value with plain numbers, in place. */
export function withPlainNumbers(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value;
  if (isNumberLiteral(value)) return value.value;
  const members = value as Record<string, JsonValue>;
  for (const key of Object.keys(members)) {
    const member = members[key] as JsonValue;
    if (typeof member === 'object') members[key] = withPlainNumbers(member);
  }
  return value;
}
