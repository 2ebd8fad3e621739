import { bufferOf, parseExactly } from './exact-parser.ts';
import { scanJson } from './scan.ts';
import { duplicateKeys } from './strict-errors.ts';
import type { JsonObject, JsonValue } from './value.ts';

export interface JsonLimits {
  /** How deep lists and objects may be nested. */
  readonly depth?: number;
}

/**
 * What becomes of a number that is not written as an exact integer: a number like any other, or a NumberLiteral. One
 * that is too large for a double is a mistake, unless it is for a type to say (`typed`).
 */
export type NumberForm = 'plain' | 'written' | 'typed';

export interface ParseOptions {
  readonly limits?: JsonLimits;
  readonly numbers?: NumberForm;
}

export interface ParsedJson {
  readonly value: JsonValue;
  /** `duplicate field "data.a"` for each key that an object has more than once. The last value counts. */
  readonly duplicates: readonly string[];
  /** Whether there is a NumberLiteral in it. */
  readonly hasNumberLiterals?: boolean;
}

/** Go allows 10,000; what walks values here does so recursively, and no object of Kubernetes comes near this. */
const defaultDepth = 1_000;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const none: readonly string[] = [];

/**
 * Reads JSON as Kubernetes does: integers are exact up to 64 bits (a bigint beyond 2^53), `__proto__` is a key like any
 * other, invalid UTF-8 becomes U+FFFD. Fails with JsonSyntaxError.
 */
export function parseJson(bytes: Uint8Array, options?: ParseOptions): ParsedJson {
  const depth = options?.limits?.depth ?? defaultDepth;
  const numbers = options?.numbers ?? 'plain';
  return parseQuickly(bytes, depth, numbers) ?? parseExactly(bytes, depth, numbers);
}

/** JSON.parse is several times faster, and as good if there is nothing that it would hide; undefined if there may be. */
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
 * What a well-formed text says with `null` in place of a part of it, which is not looked at. Undefined if the rest of it
 * cannot be read quickly, or not at all because the part is not a value.
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

/** Fewer keys than the text has colons means that one was repeated. */
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
