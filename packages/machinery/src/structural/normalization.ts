import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import { maxStrictErrors } from '../json/strict-errors.ts';
import type { JsonValue } from '../schema/type.ts';
import type { Normalized, Origin } from './compiled-schema.ts';

const none: readonly string[] = [];

/** One run over an object: where it is, and what it has found. */
export class Normalization {
  readonly origin: Origin;
  /** Whether defaults are filled in. */
  readonly defaults: boolean;
  #unknown: string[] | undefined;
  #error: string | undefined;
  readonly #steps: (string | number)[] = [];
  /** Which steps are keys of maps: errors write those between brackets. */
  readonly #keys: boolean[] = [];
  #depth = 0;

  constructor(origin: Origin) {
    this.origin = origin;
    this.defaults = origin !== 'conversion';
  }

  enter(step: string | number, key: boolean): void {
    this.#steps[this.#depth] = step;
    this.#keys[this.#depth++] = key;
  }

  leave(): void {
    this.#depth--;
  }

  /** A field that the schema does not have. */
  addUnknown(field: string): void {
    this.#add(`${this.#text(false)}${this.#depth === 0 ? '' : '.'}${field}`);
  }

  /** A field of metadata that the type does not have. */
  addUnknownText(fields: readonly string[]): void {
    this.#add(`${this.#text(true)}${this.#depth === 0 ? '' : '.'}${fields.join('.')}`);
  }

  /** The value of a field cannot be read; the first one counts. */
  refuse(field: string, value: JsonValue, reason: string): void {
    if (this.#error !== undefined) return;
    const errors = new FieldErrors();
    const parent = this.#text(true);
    errors.invalid(parent === '' ? path(field) : path(parent).child(field), value, reason);
    this.#error = errors.toString();
  }

  result(): Normalized {
    const unknown = this.#unknown === undefined ? none : this.#unknown.sort().map((field) => `unknown field "${field}"`);
    return this.#error === undefined ? { unknown } : { unknown, error: this.#error };
  }

  #add(path: string): void {
    this.#unknown ??= [];
    if (this.#unknown.length < maxStrictErrors) this.#unknown.push(path);
  }

  #text(subscripts: boolean): string {
    let text = '';
    for (let i = 0; i < this.#depth; i++) {
      const step = this.#steps[i];
      if (typeof step === 'number' || (subscripts && this.#keys[i])) text += `[${step}]`;
      else text += text === '' ? step : `.${step}`;
    }
    return text;
  }
}
