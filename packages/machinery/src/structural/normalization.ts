import { FieldErrors } from '../errors/field-errors.ts';
import { path } from '../errors/field-path.ts';
import { maxStrictErrors } from '../json/exact-parser.ts';
import type { JsonValue } from '../json/value.ts';
import type { Normalized, Origin } from './compiled-schema.ts';
import { DefaultsBudget } from './values/budget.ts';

const none: readonly string[] = [];

/** The state of one normalization: current path, pruned fields and first error. */
export class Normalization {
  readonly origin: Origin;
  /** Whether defaults are applied. */
  readonly defaults: boolean;
  readonly budget = new DefaultsBudget();
  #unknown: string[] | undefined;
  #unknownInMetadata: string[] | undefined;
  #error: string | undefined;
  readonly #steps: (string | number)[] = [];
  /** Whether a step is a map key: error paths put those in brackets. */
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

  /** Whether a field outside of metadata was pruned. */
  get hasDropped(): boolean {
    return this.#unknown !== undefined;
  }

  /** Notes a field that the schema does not have. */
  addUnknown(field: string): void {
    this.#unknown ??= [];
    if (this.#unknown.length < maxStrictErrors) this.#unknown.push(this.#below(false, field));
  }

  /** Notes an unknown field of embedded metadata. */
  addUnknownInMetadata(field: string): void {
    this.#unknownInMetadata ??= [];
    if (this.#unknownInMetadata.length < maxStrictErrors) this.#unknownInMetadata.push(this.#below(true, `metadata.${field}`));
  }

  /** Notes a malformed field; only the first is reported. */
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

  /** Unknown fields of metadata come last. */
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
