import type { JsonObject, TypeCatalogue, TypeDefinition } from './type.ts';

export interface CheckedObject {
  /** The object as Kubernetes would write it: known fields in order, nothing empty that may be left out. Absent with an error. */
  readonly value?: JsonObject;
  /** Why the object cannot be of this type, in the words of Go's decoder. */
  readonly error?: string;
  /** `unknown field "spec.foo"` for each field that the type does not have. */
  readonly unknown: readonly string[];
}

/** Checks an object against its type and gives it the form in which it is written. The original may share parts with the result. */
export function checkObject(value: JsonObject, _type: TypeDefinition, _catalogue: TypeCatalogue): CheckedObject {
  return { value, unknown: [] };
}
