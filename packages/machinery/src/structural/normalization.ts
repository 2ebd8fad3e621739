import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import { maxStrictErrors } from '../json/exact-parser.ts';
import type { JsonValue } from '../json/value.ts';
import type { Normalized, Origin } from './compiled-schema.ts';
import { DefaultsBudget } from './values/budget.ts';

const none: readonly string[] = [];

/** One run over an object: where it is, and what it has found. */
export class Normalization {
  readonly origin: Origin;
  /** Whether defaults are filled in. */
  readonly defaults: boolean;
  readonly budget = new DefaultsBudget();
  #unknown: string[] | undefined;
  #unknownInMetadata: string[] | undefined;
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

  /** Whether something was dropped that the schema does not have, outside of metadata. */
  get hasDropped(): boolean {
    return this.#unknown !== undefined;
  }

  /** A field that the schema does not have. */
  addUnknown(field: string): void {
    this.#unknown ??= [];
    if (this.#unknown.length < maxStrictErrors) this.#unknown.push(this.#below(false, field));
  }

  /** A field of embedded metadata that the type does not have. */
  addUnknownInMetadata(field: string): void {
    this.#unknownInMetadata ??= [];
    if (this.#unknownInMetadata.length < maxStrictErrors) this.#unknownInMetadata.push(this.#below(true, `metadata.${field}`));
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
    const unknown = this.#allUnknown();
    return this.#error === undefined ? { unknown } : { unknown, error: this.#error };
  }

  /** Those of metadata come last. */
  #allUnknown(): readonly string[] {
    if (this.#unknown === undefined && this.#unknownInMetadata === undefined) return none;
    return [...messagesOf(this.#unknown), ...messagesOf(this.#unknownInMetadata)];
  }

  #below(subscripts: boolean, field: string): string {
    return this.#depth === 0 ? field : `${this.#text(subscripts)}.${field}`;
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

function messagesOf(fields: string[] | undefined): readonly string[] {
  return fields === undefined ? none : fields.sort().map((field) => `unknown field "${field}"`);
}
