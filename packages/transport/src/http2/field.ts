import type { FieldName } from './header-field.ts';

/** A line of a header, as tables keep it. */
export interface Field {
  readonly name: FieldName;
  readonly value: string;
  /** Whether the value has only characters that a value may have. */
  readonly isWellFormed: boolean;
  /** As RFC 7541 counts it: for the bounds of tables, and of whole headers. */
  readonly size: number;
}

export function fieldOf(name: FieldName, value: string, isWellFormed: boolean): Field {
  return { name, value, isWellFormed, size: name.text.length + value.length + 32 };
}
