import { jsonKind } from '../json/errors.ts';
import { maxStrictErrors } from '../json/exact-parser.ts';
import { isNumberLiteral, type NumberLiteral, type ParsedValue } from '../json/number-literal.ts';
import { goQuote } from '../text/go-quote.ts';
import { goTypeText } from '../text/go-value.ts';

/** A struct field in messages. */
export interface NamedField {
  readonly name: string;
  /** The Go type of the struct. */
  readonly owner: string;
}

/** A map key. Go includes it in the path of an unknown field, but not of a type mismatch. */
export interface MapKey {
  readonly key: string;
}

/** An error that stops decoding. */
export class DecodeFailure extends Error {
  override readonly name = 'DecodeFailure';
}

/** Kubernetes has two decoders with different messages: for JSON text, and for values (runtime.DefaultUnstructuredConverter). */
export type DecodeSource = 'text' | 'values';

/** The state of one decoding: current path, first error and unknown fields. */
export class Decoding {
  /** The first type mismatch. Decoding continues after it. */
  error: string | undefined;
  readonly isFromValues: boolean;
  /** Whether the object may contain number literals. */
  readonly hasNumberLiterals: boolean;
  readonly unknown: string[] = [];
  readonly #path: (NamedField | MapKey | number)[] = [];
  #depth = 0;

  constructor(source: DecodeSource, hasNumberLiterals: boolean) {
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

  /** The value is not of the Go type. */
  mismatch(value: ParsedValue, goType: string): undefined {
    this.error ??= this.isFromValues ? cannotRestore(value, goType) : this.#mismatchMessage(jsonKind(value), goType);
  }

  /** The number is out of range, or not an integer. */
  mismatchedNumber(value: number | bigint | NumberLiteral, goType: string): undefined {
    const text = isNumberLiteral(value) ? value.text : value;
    this.error ??= this.isFromValues ? cannotRestore(value, goType) : this.#mismatchMessage(`number ${text}`, goType);
  }

  invalid(message: string): undefined {
    this.error ??= this.isFromValues ? `error decoding from json: ${message}` : message;
  }

  /** For types with an UnmarshalJSON of their own: decoding stops at the first error. */
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

/** The message of Go's unstructured converter for a type mismatch. */
function cannotRestore(value: ParsedValue, goType: string): string {
  if (goType.startsWith('map[')) return `cannot restore map from ${goKind(value)}`;
  if (goType.startsWith('[]')) return `cannot restore slice from ${goKind(value)}`;
  if (goType.includes('.')) return `cannot restore struct from: ${goKind(value)}`;
  return isConvertible(goTypeText(value), goType)
    ? `cannot convert ${goTypeText(value)} to ${goType}`
    : `unrecognized type: ${goType}`;
}

/** Go can convert an integer to a string (the code point); the converter refuses that with another message. */
function isConvertible(from: string, to: string): boolean {
  if (to === 'string') return from === 'int64';
  return to !== 'bool' && (from === 'int64' || from === 'float64');
}

function goKind(value: ParsedValue): string {
  const type = goTypeText(value);
  if (type.startsWith('map[')) return 'map';
  return type.startsWith('[]') ? 'slice' : type;
}
