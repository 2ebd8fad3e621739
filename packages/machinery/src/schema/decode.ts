import type { ParsedObject } from '../json/number-literal.ts';
import type { JsonObject } from '../json/value.ts';
import { objectCheck } from './compile.ts';
import { DecodeFailure, type DecodeSource, Decoding } from './decoding.ts';
import type { TypeCatalogue, TypeDefinition } from './type.ts';

export interface CheckedObject {
  /**
   * The object as Kubernetes writes it: only known fields, in the order of the type, maps sorted, times and quantities in
   * canonical form, empty fields omitted according to omitempty. The input if there is an error.
   */
  readonly value: JsonObject;
  /** Why the object does not fit the type, with the message of Kubernetes' decoder. */
  readonly error?: string;
  /** `unknown field "spec.foo"` for each unknown field. */
  readonly unknown: readonly string[];
}

const none: readonly string[] = [];

export interface CheckOptions {
  readonly source?: DecodeSource;
  /** Whether the object may contain number literals. */
  readonly hasNumberLiterals?: boolean | undefined;
}

/** Decodes an object into its type. Never mutates the original; the result may share parts with it. */
export function checkObject(
  value: ParsedObject,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
  { source = 'text', hasNumberLiterals = false }: CheckOptions = {},
): CheckedObject {
  const decoding = new Decoding(source, hasNumberLiterals);
  try {
    const checked = objectCheck(type.name, catalogue).check(value, decoding);
    if (decoding.error === undefined) return { value: checked, unknown: inOrder(decoding.unknown, source) };
    return mismatch(value, decoding.error);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    return mismatch(value, error.message);
  }
}

/** Returns the input unchanged: stored objects that no longer fit their type are still served. They have no number literals. */
function mismatch(value: ParsedObject, error: string): CheckedObject {
  return { value: value as JsonObject, error, unknown: none };
}

/** Kubernetes reports unknown fields sorted when it decodes values, and in document order when it decodes text. */
function inOrder(unknown: string[], source: DecodeSource): readonly string[] {
  return source === 'values' && unknown.length > 1 ? unknown.sort() : unknown;
}

/** The zero object of a type, as Go writes it. */
export function emptyObject(type: string, catalogue: TypeCatalogue): JsonObject {
  return objectCheck(type, catalogue).zero();
}
