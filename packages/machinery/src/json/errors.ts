import { goEscape } from '../text/go-quote.ts';
import { isNumberLiteral, type ParsedValue } from './number-literal.ts';

/** Malformed JSON, with the message of Go's SyntaxError. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** Bytes read before the error. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function endOfInput(offset: number): JsonSyntaxError {
  return new JsonSyntaxError('unexpected end of JSON input', offset);
}

/** Go quotes the byte as the code point of the same number. */
export function invalidCharacter(byte: number, context: string, offset: number): JsonSyntaxError {
  return new JsonSyntaxError(`invalid character '${quoted(byte)}' ${context}`, offset);
}

export function numberOverflow(text: string, offset: number): JsonSyntaxError {
  return new JsonSyntaxError(`json: cannot unmarshal number ${text} into Go value of type float64`, offset);
}

function quoted(byte: number): string {
  if (byte === 0x22) return '"';
  return byte === 0x27 ? "\\'" : goEscape(String.fromCharCode(byte));
}

/** The message of Go's UnmarshalTypeError. */
export function cannotUnmarshal(value: ParsedValue, type: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;
}

/** The name of a JSON value's kind in Go's messages. */
export function jsonKind(value: ParsedValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' || isNumberLiteral(value) ? 'number' : typeof value;
}
