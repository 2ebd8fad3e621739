import { bufferOf, parseExactly } from './exact-parser.ts';
import type { ParsedValue } from './number-literal.ts';
import { scanJson } from './scan.ts';
import { duplicateKeys } from './strict-errors.ts';
import type { JsonObject, JsonValue } from './value.ts';

export interface JsonLimits {
  /** Maximum nesting of arrays and objects. */
  readonly depth?: number;
}

/**
 * The form of a number that is not spelled as an exact integer:
 * - `plain`: a number. Beyond the range of a double it is an error.
 * - `literal`: a NumberLiteral. Beyond the range of a double it is an error.
 * - `typed`: a NumberLiteral; decoding against a type reports out-of-range numbers.
 */
export type NumberForm = 'plain' | 'literal' | 'typed';

export interface ParseOptions {
  readonly limits?: JsonLimits;
  readonly numbers?: NumberForm;
}

export interface ParsedJson<Value extends ParsedValue = JsonValue> {
  readonly value: Value;
  /** `duplicate field "data.a"` for each repeated key. The last value wins. */
  readonly duplicates: readonly string[];
  /** Whether `value` contains a NumberLiteral. */
  readonly hasNumberLiterals?: boolean;
}

/** Go allows 10,000. Code that walks values is recursive here, and no Kubernetes object comes near this depth. */
const defaultDepth = 1_000;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const none: readonly string[] = [];

/**
 * Parses JSON like Kubernetes: integers are exact up to 64 bits (a bigint beyond 2^53), `__proto__` is an ordinary key,
 * invalid UTF-8 becomes U+FFFD. Throws JsonSyntaxError.
 */
export function parseJson(bytes: Uint8Array, options?: ParseOptions & { readonly numbers?: 'plain' }): ParsedJson;
export function parseJson(bytes: Uint8Array, options: ParseOptions): ParsedJson<ParsedValue>;
export function parseJson(bytes: Uint8Array, options?: ParseOptions): ParsedJson<ParsedValue> {
  const depth = options?.limits?.depth ?? defaultDepth;
  const numbers = options?.numbers ?? 'plain';
  return parseQuickly(bytes, depth, numbers) ?? parseExactly(bytes, depth, numbers);
}

/** JSON.parse is several times faster. Undefined if the text may contain something JSON.parse loses. */
function parseQuickly(bytes: Uint8Array, depth: number, numbers: NumberForm): ParsedJson | undefined {
  const keys = scanJson(bytes, Math.min(depth, defaultDepth), numbers !== 'plain');
  if (keys < 0) return undefined;
  const text = decoder.decode(bytes);
  if (text.includes('\ufffd')) return undefined;
  const value = tryParse(text);
  if (value === undefined) return undefined;
  return { value, duplicates: countKeys(value) === keys ? none : duplicateKeys(bufferOf(bytes)) };
}

/**
 * Parses a well-formed text with `null` in place of the bytes from `start` to `end`, which are not looked at. Undefined if
 * the rest needs the exact parser, or if those bytes are not one value.
 */
export function parseJsonAround(bytes: Buffer, start: number, end: number): JsonValue | undefined {
  if (scanJson(bytes, defaultDepth, false, 0, start) < 0 || scanJson(bytes, defaultDepth, false, end) < 0) return undefined;
  const text = `${bytes.toString('utf8', 0, start)}null${bytes.toString('utf8', end)}`;
  return text.includes('\ufffd') ? undefined : tryParse(text);
}

function tryParse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Compared with the number of colons in the text: fewer keys mean a duplicate. */
function countKeys(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Array.isArray(value) ? countKeysOfList(value) : countKeysOfObject(value);
}

function countKeysOfList(list: readonly JsonValue[]): number {
  let count = 0;
  for (const value of list) if (typeof value === 'object' && value !== null) count += countKeys(value);
  return count;
}

function countKeysOfObject(object: JsonObject): number {
  let count = 0;
  for (const key in object) {
    count++;
    const value = object[key];
    if (typeof value === 'object' && value !== null) count += countKeys(value);
  }
  return count;
}
