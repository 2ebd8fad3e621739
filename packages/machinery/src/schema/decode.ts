import type { JsonObject } from '../json/value.ts';
import { objectCheck } from './compile.ts';
import { DecodeFailure, Decoding, type Source } from './decoding.ts';
import type { TypeCatalogue, TypeDefinition } from './type.ts';

export interface CheckedObject {
  /**
   * The object as Kubernetes would write it: only known fields, in order, maps sorted, times and quantities in their
   * canonical form, nothing empty that may be left out. Of no use if there is an error.
   */
  readonly value: JsonObject;
  /** Why the object cannot be of this type, in the words of the decoder that Kubernetes has for such. */
  readonly error?: string;
  /** `unknown field "spec.foo"` for each field that the type does not have. */
  readonly unknown: readonly string[];
}

const none: readonly string[] = [];

/** Where the object that is checked comes from. */
export interface CheckOptions {
  readonly source?: Source;
  /** Whether there may be a NumberLiteral in it. */
  readonly hasNumberLiterals?: boolean | undefined;
}

/** Checks an object against its type and gives it the form in which it is written. The original is not changed; the result may share parts with it. */
export function checkObject(
  value: JsonObject,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
  { source = 'text', hasNumberLiterals = false }: CheckOptions = {},
): CheckedObject {
  const decoding = new Decoding(source, hasNumberLiterals);
  try {
    const checked = objectCheck(type.name, catalogue).check(value, decoding);
    if (decoding.error === undefined) return { value: checked, unknown: inOrder(decoding.unknown, source) };
    return { value, error: decoding.error, unknown: none };
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    return { value, error: error.message, unknown: none };
  }
}

/** What is made of values tells of its unknown fields by name, what is read from a text as they come. */
function inOrder(unknown: string[], source: Source): readonly string[] {
  return source === 'values' && unknown.length > 1 ? unknown.sort() : unknown;
}

/** What is written of an object of a type before anything is said of it. */
export function emptyObject(type: string, catalogue: TypeCatalogue): JsonObject {
  return objectCheck(type, catalogue).zero();
}
