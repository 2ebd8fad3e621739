import { jsonKind } from '../json/errors.ts';
import { maxStrictErrors } from '../json/exact-parser.ts';
import { isNumberLiteral, type NumberLiteral, type ParsedValue } from '../json/number-literal.ts';
import { goQuote } from '../text/go-quote.ts';
import { goTypeText } from '../text/go-value.ts';

/** A field of a struct, as messages name it. */
export interface NamedField {
  readonly name: string;
  /** The Go type that has the field. */
  readonly owner: string;
}

/** A key of a map: part of the path of an unknown field, but not of one with the wrong type. */
export interface MapKey {
  readonly key: string;
}

/** An error that ends decoding at once. */
export class DecodeFailure extends Error {
  override readonly name = 'DecodeFailure';
}

/** Whether an object was read from a text, or made of values that once were: Kubernetes has a decoder for each. */
export type Source = 'text' | 'values';

/** One run of decoding: where it is, and what it has found. */
export class Decoding {
  /** Why the object does not fit its type: the first reason counts, and decoding goes on. */
  error: string | undefined;
  readonly isFromValues: boolean;
  /** Whether a NumberLiteral may be met. */
  readonly hasNumberLiterals: boolean;
  readonly unknown: string[] = [];
  readonly #path: (NamedField | MapKey | number)[] = [];
  #depth = 0;

  constructor(source: Source, hasNumberLiterals: boolean) {
    this.isFromValues = source === 'values';
    this.hasNumberLiterals = hasNumberLiterals;
  }

  enter(step: NamedField | MapKey | number): void {
    this.#path[this.#depth++] = step;
  }

  leave(): void {
    this.#depth--;
  }

  addUnknown(key: string): void {
    if (this.unknown.length >= maxStrictErrors) return;
    let path = '';
    for (const step of this.#steps()) {
      if (typeof step === 'number') path += `[${step}]`;
      else path += `${path === '' ? '' : '.'}${'key' in step ? step.key : step.name}`;
    }
    const message = `unknown field ${goQuote(this.#depth === 0 ? key : `${path}.${key}`)}`;
    if (!this.unknown.includes(message)) this.unknown.push(message);
  }

  /** The value cannot be held by a Go type. */
  mismatch(value: ParsedValue, goType: string): undefined {
    this.error ??= this.isFromValues ? cannotRestore(value, goType) : this.#mismatchMessage(jsonKind(value), goType);
  }

  /** The number is of the right kind, but cannot be held. */
  mismatchedNumber(value: number | bigint | NumberLiteral, goType: string): undefined {
    const text = isNumberLiteral(value) ? value.text : value;
    this.error ??= this.isFromValues ? cannotRestore(value, goType) : this.#mismatchMessage(`number ${text}`, goType);
  }

  invalid(message: string): undefined {
    this.error ??= this.isFromValues ? `error decoding from json: ${message}` : message;
  }

  /** For types that read themselves: decoding ends at the first one that fails. */
  fail(message: string): never {
    throw new DecodeFailure(message);
  }

  failMismatch(value: ParsedValue, goType: string): never {
    const kind = goType === 'string' ? jsonKind(value) : numberText(value);
    throw new DecodeFailure(
      this.isFromValues ? `json: cannot unmarshal ${kind} into Go value of type ${goType}` : this.#mismatchMessage(kind, goType),
    );
  }

  #mismatchMessage(kind: string, goType: string): string {
    const fields = this.#steps().filter((step): step is NamedField => typeof step === 'object' && 'name' in step);
    const last = fields.at(-1);
    if (last === undefined) return `json: cannot unmarshal ${kind} into Go value of type ${goType}`;
    const path = fields.map(({ name }) => name).join('.');
    return `json: cannot unmarshal ${kind} into Go struct field ${last.owner}.${path} of type ${goType}`;
  }

  #steps(): (NamedField | MapKey | number)[] {
    return this.#path.slice(0, this.#depth);
  }
}

function numberText(value: ParsedValue): string {
  if (isNumberLiteral(value)) return `number ${value.text}`;
  return typeof value === 'number' || typeof value === 'bigint' ? `number ${value}` : jsonKind(value);
}

/** Why a value cannot be held by a Go type, in the words of the converter that restores objects from values instead of text. */
export function cannotRestore(value: ParsedValue, goType: string): string {
  if (goType.startsWith('map[')) return `cannot restore map from ${goKind(value)}`;
  if (goType.startsWith('[]')) return `cannot restore slice from ${goKind(value)}`;
  if (goType.includes('.')) return `cannot restore struct from: ${goKind(value)}`;
  return isConvertible(goTypeText(value), goType)
    ? `cannot convert ${goTypeText(value)} to ${goType}`
    : `unrecognized type: ${goType}`;
}

/** To Go a number can be made a string, the character with that code; the converter refuses that, but in other words. */
function isConvertible(from: string, to: string): boolean {
  if (to === 'string') return from === 'int64';
  return to !== 'bool' && (from === 'int64' || from === 'float64');
}

function goKind(value: ParsedValue): string {
  const type = goTypeText(value);
  if (type.startsWith('map[')) return 'map';
  return type.startsWith('[]') ? 'slice' : type;
}
