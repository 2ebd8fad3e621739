import type { Field, FieldType } from '../schema/type.ts';

/** What the bytes of a field depend on beyond its type. */
export interface ProtobufField extends Field {
  /** Zero differs from absent. Objects without a default are held by pointer in any case. */
  readonly pointer?: boolean;
  /** Left out of JSON when zero, although it has a default. */
  readonly omitZero?: boolean;
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

export function isPointer({ pointer, type, default: initial }: ProtobufField): boolean {
  return type.is === 'object' ? initial === undefined : pointer === true;
}

/** Whether JSON says a value that is zero and not held by pointer. */
export function keepsZero({ omitZero, default: initial, type, required }: ProtobufField): boolean {
  if (omitZero) return false;
  if (type.is === 'bytes') return required === true;
  return isAlwaysWritten(type) || initial === '' || initial === 0 || initial === false;
}

/** Structs of Go are never empty to its JSON encoder. */
function isAlwaysWritten({ is }: FieldType): boolean {
  return is === 'time' || is === 'microTime' || is === 'quantity' || is === 'intOrString' || is === 'duration';
}
