import { objectCheck } from '../schema/compile.ts';
import type { JsonObject, TypeCatalogue } from '../schema/type.ts';

/** What is written of an object of a type before anything is said of it. */
export function emptyObject(type: string, catalogue: TypeCatalogue): JsonObject {
  return objectCheck(type, catalogue).zero();
}
