import { stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';
import { goQuote } from '../text/go-quote.ts';
import { goFloatText } from '../text/go-value.ts';
import { aggregateMessage } from '../text/strings.ts';
import type { FieldPath } from './field-path.ts';
import type { StatusCause } from './status.ts';

/** The reasons of `details.causes[].reason`, with the beginnings of their messages. */
const titles = {
  FieldValueNotFound: 'Not found',
  FieldValueRequired: 'Required value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTooFew: 'Too few',
  FieldValueTooShort: 'Too short',
  FieldValueTypeInvalid: 'Invalid value',
  InternalError: 'Internal error',
} as const;

export type FieldErrorReason = keyof typeof titles;

/** A value shown in a message; undefined is shown as null. */
export type ShownValue = JsonValue | undefined;

/** A validation error of one field. */
export interface FieldError {
  readonly reason: FieldErrorReason;
  readonly field: string;
  /** The message without the field: `Invalid value: "x": must be y`. */
  readonly body: string;
}

/** Limit of reported errors; the rest is only counted. */
const maxErrors = 1000;
/** Limit of the characters of all messages: they can repeat large values or long lists of valid ones. */
const maxCharacters = 1 << 20;
/** For errors that show no value. */
const unshown = Symbol('unshown');

/** Collects validation errors in the order they are found (Go's field.ErrorList). An absent path prints as `<nil>`. */
export class FieldErrors {
  readonly list: FieldError[] = [];
  #untold = 0;
  #characters = 0;

  get length(): number {
    return this.list.length;
  }

  required(path: FieldPath | undefined, detail = ''): void {
    this.#add('FieldValueRequired', path, unshown, detail);
  }

  invalid(path: FieldPath | undefined, value: ShownValue, detail = ''): void {
    this.#add('FieldValueInvalid', path, value, detail);
  }

  /** Without the value, for large or meaningless values. */
  invalidUnshown(path: FieldPath | undefined, detail: string): void {
    this.#add('FieldValueInvalid', path, unshown, detail);
  }

  typeInvalid(path: FieldPath | undefined, value: ShownValue, detail = ''): void {
    this.#add('FieldValueTypeInvalid', path, value, detail);
  }

  notSupported(path: FieldPath | undefined, value: ShownValue, supported: readonly string[]): void {
    const isTold = !this.full && supported.length > 0;
    this.#add('FieldValueNotSupported', path, value, isTold ? `supported values: ${supported.map(goQuote).join(', ')}` : '');
  }

  notFound(path: FieldPath | undefined, value: ShownValue, detail = ''): void {
    this.#add('FieldValueNotFound', path, value, detail);
  }

  duplicate(path: FieldPath | undefined, value: ShownValue, detail = ''): void {
    this.#add('FieldValueDuplicate', path, value, detail);
  }

  duplicateUnshown(path: FieldPath | undefined): void {
    this.#add('FieldValueDuplicate', path, unshown, '');
  }

  forbidden(path: FieldPath | undefined, detail = ''): void {
    this.#add('FieldValueForbidden', path, unshown, detail);
  }

  /** A negative maximum is not shown. */
  tooLong(path: FieldPath | undefined, maximum: number): void {
    this.#add(
      'FieldValueTooLong',
      path,
      unshown,
      maximum < 0 ? 'value is too long' : `may not be more than ${count(maximum, 'byte')}`,
    );
  }

  tooLongCharacters(path: FieldPath | undefined, maximum: number): void {
    const detail = maximum < 0 ? 'value is too long' : `may not be more than ${count(maximum, 'character')}`;
    this.#add('FieldValueTooLong', path, unshown, detail);
  }

  tooShort(path: FieldPath | undefined, minimum: number): void {
    const detail = minimum < 0 ? 'value is too short' : `must be at least ${count(minimum, 'character')}`;
    this.#add('FieldValueTooShort', path, unshown, detail);
  }

  /** A negative number is not shown. */
  tooMany(path: FieldPath | undefined, actual: number, maximum: number): void {
    const detail = maximum < 0 ? 'has too many items' : `must have at most ${count(maximum, 'item')}`;
    this.#add('FieldValueTooMany', path, actual < 0 ? unshown : actual, detail);
  }

  /** A negative number is not shown. */
  tooFew(path: FieldPath | undefined, actual: number, minimum: number): void {
    const detail = minimum < 0 ? 'has too few items' : `must have at least ${count(minimum, 'item')}`;
    this.#add('FieldValueTooFew', path, actual < 0 ? unshown : actual, detail);
  }

  internal(path: FieldPath | undefined, detail: string): void {
    this.#add('InternalError', path, unshown, detail);
  }

  addAll(other: FieldErrors): void {
    this.#untold += other.#untold;
    for (const error of other.list) this.#push(error);
  }

  causes(): StatusCause[] {
    return this.list.map(({ reason, body, field }) => ({ reason, message: body, field }));
  }

  toString(): string {
    const messages = this.list.map((error) => `${error.field}: ${error.body}`);
    if (this.#untold > 0) messages.push(`and ${this.#untold} more`);
    return aggregateMessage(messages);
  }

  #add(reason: FieldErrorReason, path: FieldPath | undefined, value: ShownValue | typeof unshown, detail: string): void {
    if (this.full) {
      this.#untold++;
      return;
    }
    let body: string = titles[reason];
    if (value !== unshown) body += `: ${shown(value)}`;
    if (detail !== '') body += `: ${detail}`;
    this.#push({ reason, field: path === undefined ? '<nil>' : path.toString(), body });
  }

  /** Whether further errors are only counted. */
  get full(): boolean {
    return this.list.length >= maxErrors || this.#characters > maxCharacters;
  }

  #push(error: FieldError): void {
    if (this.full) {
      this.#untold++;
      return;
    }
    this.#characters += error.field.length + error.body.length;
    this.list.push(error);
  }
}

function shown(value: ShownValue): string {
  if (typeof value === 'number' && !Number.isInteger(value)) return goFloatText(value);
  return typeof value === 'string' ? goQuote(value) : stringifyJson(value ?? null);
}

function count(number: number, unit: string): string {
  return number === 1 ? `1 ${unit}` : `${number} ${unit}s`;
}
