import type { Field } from '../schema/type.ts';
import { whenEmpty } from '../schema/when-empty.ts';

/** What the bytes of a field depend on beyond its type. */
export interface ProtobufField extends Field {
  /** Numbers of the protobuf messages around this field, outermost first, where JSON has no object. */
  readonly inlinedIn?: readonly number[];
  /** Each innermost list is field 1 of a message of its own. */
  readonly wrapped?: boolean;
}

/** Anything goes in JSON, but the bytes differ by the type. */
export interface AnyType {
  readonly is: 'any';
  readonly ref?: string;
}

/** Go holds a pointer: zero differs from absent. What is no pointer is written even if it is zero. */
export function isPointer(field: ProtobufField): boolean {
  const when = whenEmpty(field);
  return when === 'keep' || when === 'null';
}

/** Whether JSON tells a zero that was written. */
export function tellsZero(field: ProtobufField): boolean {
  return whenEmpty(field) !== 'omit';
}
