import { goQuote } from '../text/go-quote.ts';
import { endOfInput, invalidCharacter, numberOverflow } from './errors.ts';
import { isNumberLiteral, NumberLiteral, type ParsedObject, type ParsedValue } from './number-literal.ts';
import type { NumberForm, ParsedJson } from './parse.ts';
import { parseNumber, parseString } from './parse-scalar.ts';
import { type JsonValue, setKey } from './value.ts';

/** An open object or array. */
type Frame =
  | { readonly kind: 'object'; readonly value: ParsedObject; key: string }
  | { readonly kind: 'list'; readonly value: ParsedValue[] };

/** Limit of strict decoding errors reported for one object. */
export const maxStrictErrors = 100;
/** Limit of duplicate keys looked at, reported before or not: building the path of each costs its depth. */
export const maxRepeats = 1_000;
/** Limit of visited keys plus characters of the paths built for them. */
const visitBudget = 50_000;
const literals = new Map<number, { readonly text: string; readonly value: JsonValue }>([
  [0x74, { text: 'true', value: true }],
  [0x66, { text: 'false', value: false }],
  [0x6e, { text: 'null', value: null }],
]);

/** A Buffer over the same memory. */
export function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A parser without JSON.parse: exact numbers, surrogates and duplicate keys. Not recursive, so nesting costs no stack. */
export function parseExactly(bytes: Uint8Array, maxDepth: number, numbers: NumberForm): ParsedJson<ParsedValue> {
  return new ExactParser(bytes, maxDepth, numbers).parse();
}

/**
 * The paths of all keys of a well-formed text for which `matches` returns true, in document order and with repetitions.
 * Reads only the beginning of a large text: the paths are for error messages.
 */
export function pathsOfKeys(bytes: Uint8Array, matches: (key: string) => boolean): readonly string[] {
  const paths: string[] = [];
  let left = visitBudget;
  const parser = new ExactParser(bytes, Number.POSITIVE_INFINITY, 'typed', (key, path) => {
    left--;
    if (matches(key)) {
      const found = path();
      paths.push(found);
      left -= found.length;
    }
    return left > 0;
  });
  parser.visitKeys();
  return paths;
}

/** Called with every key and a function that builds its path. Returning false stops parsing. */
type KeyVisitor = (key: string, path: () => string) => boolean;

class ExactParser {
  readonly #bytes: Buffer;
  readonly #maxDepth: number;
  readonly #open: Frame[] = [];
  readonly #duplicates = new Set<string>();
  #repeats = 0;
  /** The first number out of a double's range. Reported at the end, because syntax errors take precedence. */
  #overflow: string | undefined;
  readonly #numbers: NumberForm;
  #hasNumberLiterals = false;
  #at = 0;

  readonly #onKey: KeyVisitor | undefined;
  #isStopped = false;

  constructor(bytes: Uint8Array, maxDepth: number, numbers: NumberForm, onKey?: KeyVisitor) {
    this.#onKey = onKey;
    this.#bytes = bufferOf(bytes);
    this.#maxDepth = maxDepth;
    this.#numbers = numbers;
  }

  parse(): ParsedJson<ParsedValue> {
    let value = this.#readValue();
    while (this.#open.length > 0) {
      // An undefined value was just opened; a scalar or closed value is added to its parent.
      value = value === undefined ? this.#readFirstMember() : this.#placeAndGoOn(value);
    }
    this.#expectEnd();
    if (this.#overflow !== undefined) throw numberOverflow(this.#overflow, this.#at);
    const root = isNumberLiteral(value) ? value.value : (value as ParsedValue);
    return { value: root, duplicates: [...this.#duplicates], ...(this.#hasNumberLiterals && { hasNumberLiterals: true }) };
  }

  visitKeys(): void {
    let value = this.#readValue();
    while (this.#open.length > 0 && !this.#isStopped)
      value = value === undefined ? this.#readFirstMember() : this.#placeAndGoOn(value);
  }

  /** Returns a scalar, or undefined after opening an object or array. */
  #readValue(): ParsedValue | undefined {
    const byte = this.#nextVisible();
    if (byte === 0x22) return this.#readString();
    if (byte === 0x7b || byte === 0x5b) return this.#openFrame(byte);
    if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) return this.#readNumber();
    const literal = literals.get(byte);
    if (literal === undefined) throw invalidCharacter(byte, 'looking for beginning of value', this.#at);
    return this.#readLiteral(literal.text, literal.value);
  }

  #openFrame(byte: number): undefined {
    if (this.#open.length >= this.#maxDepth) throw invalidCharacter(byte, 'exceeded max depth', this.#at);
    this.#open.push(byte === 0x7b ? { kind: 'object', value: {}, key: '' } : { kind: 'list', value: [] });
    this.#at++;
  }

  /** Reads what follows an opening bracket: the first value, or the closing bracket of an empty object or array. */
  #readFirstMember(): ParsedValue | undefined {
    const frame = this.#open[this.#open.length - 1] as Frame;
    const byte = this.#nextVisible();
    if (byte === (frame.kind === 'object' ? 0x7d : 0x5d)) return this.#close(frame);
    if (frame.kind === 'object') this.#readKey(frame);
    return this.#readValue();
  }

  /** Adds a value to its parent and reads on: the next value, or the end of the parent. */
  #placeAndGoOn(value: ParsedValue): ParsedValue | undefined {
    const frame = this.#open[this.#open.length - 1] as Frame;
    if (frame.kind === 'object') setKey(frame.value, frame.key, value);
    else frame.value.push(value);
    const byte = this.#nextVisible();
    if (byte === (frame.kind === 'object' ? 0x7d : 0x5d)) return this.#close(frame);
    if (byte !== 0x2c) {
      throw invalidCharacter(byte, frame.kind === 'object' ? 'after object key:value pair' : 'after array element', this.#at);
    }
    this.#at++;
    if (frame.kind === 'object') this.#readKey(frame);
    return this.#readValue();
  }

  #close(frame: Frame): ParsedValue {
    this.#at++;
    this.#open.pop();
    return frame.value;
  }

  #readKey(frame: Frame & { kind: 'object' }): void {
    const byte = this.#nextVisible();
    if (byte !== 0x22) throw invalidCharacter(byte, 'looking for beginning of object key string', this.#at);
    const key = this.#readString();
    const separator = this.#nextVisible();
    if (separator !== 0x3a) throw invalidCharacter(separator, 'after object key', this.#at);
    this.#at++;
    if (this.#onKey) this.#isStopped = !this.#onKey(key, () => this.#pathOf(key));
    else if (Object.hasOwn(frame.value, key)) this.#addDuplicate(key);
    frame.key = key;
  }

  #addDuplicate(key: string): void {
    if (this.#duplicates.size < maxStrictErrors && this.#repeats++ < maxRepeats)
      this.#duplicates.add(`duplicate field ${goQuote(this.#pathOf(key))}`);
  }

  #pathOf(key: string): string {
    let path = '';
    this.#open.slice(0, -1).forEach((frame, depth) => {
      if (frame.kind === 'list') path += `[${frame.value.length}]`;
      else path += depth === 0 ? frame.key : `.${frame.key}`;
    });
    return this.#open.length === 1 ? key : `${path}.${key}`;
  }

  #readString(): string {
    const { text, end } = parseString(this.#bytes, this.#at + 1);
    this.#at = end;
    return text;
  }

  #readNumber(): ParsedValue {
    const { text, value, isExact, end } = parseNumber(this.#bytes, this.#at);
    this.#at = end;
    if (this.#numbers !== 'typed' && (value === Infinity || value === -Infinity)) this.#overflow ??= text;
    if (this.#numbers === 'plain' || isExact) return value;
    this.#hasNumberLiterals = true;
    return new NumberLiteral(Number(value), text);
  }

  #readLiteral(text: string, value: ParsedValue): ParsedValue {
    for (let i = 1; i < text.length; i++) {
      const byte = this.#bytes[++this.#at] ?? 0x20;
      if (byte !== text.charCodeAt(i)) throw invalidCharacter(byte, `in literal ${text} (expecting '${text[i]}')`, this.#at);
    }
    this.#at++;
    return value;
  }

  #nextVisible(): number {
    const byte = this.#skipSpace();
    if (byte === undefined) throw endOfInput(this.#at);
    return byte;
  }

  #expectEnd(): void {
    const byte = this.#skipSpace();
    if (byte !== undefined) throw invalidCharacter(byte, 'after top-level value', this.#at);
  }

  #skipSpace(): number | undefined {
    let byte = this.#bytes[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.#bytes[++this.#at];
    return byte;
  }
}
