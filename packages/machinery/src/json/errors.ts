import { goEscape } from '../text/go-quote.ts';
import { isNumberLiteral } from './number-literal.ts';
import type { JsonValue } from './value.ts';

/** The text is not JSON; the message is the one Go gives. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  /** How many bytes had been read. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

export function endOfInput(offset: number): JsonSyntaxError {
  return new JsonSyntaxError('unexpected end of JSON input', offset);
}

/** Go takes a byte for the character of that number. */
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

/** What Go says of a JSON value that does not fit a type. */
export function cannotUnmarshal(value: JsonValue, type: string): string {
  return `json: cannot unmarshal ${jsonKind(value)} into Go value of type ${type}`;
}

/** What Go calls a JSON value in its messages. */
export function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' || isNumberLiteral(value) ? 'number' : typeof value;
}
