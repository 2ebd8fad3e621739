import { deepEqual, type JsonObject, type JsonValue } from '../../json/value.ts';
import { escapeName, unescapeName } from '../types/escape.ts';
import { equalValues } from './compare.ts';
import type { JsonReader } from './json.ts';
import { CelMap, type CelValue, noSuchOverload } from './value.ts';

/** Base of objects and maps backed by JSON. */
abstract class JsonEntries extends CelMap {
  readonly raw: JsonObject;
  #size = -1;

  constructor(raw: JsonObject) {
    super();
    this.raw = raw;
  }

  get size(): number {
    if (this.#size < 0) this.#size = Object.keys(this.raw).length;
    return this.#size;
  }

  abstract readerOf(key: string): JsonReader | undefined;

  override equals(other: CelValue): CelValue {
    if (!(other instanceof CelMap)) return noSuchOverload;
    if (this.size !== other.size) return false;
    for (const key of Object.keys(this.raw)) {
      const equal = this.#equalAt(key, other);
      if (equal !== true) return equal;
    }
    return true;
  }

  #equalAt(key: string, other: CelMap): CelValue {
    if (this.readerOf(key) === undefined) return this.#equalRaw(key, other);
    const [own, others] = [this.find(key), other.find(key)];
    if (own === undefined || others === undefined) return own === others;
    return equalValues(own, others);
  }

  /** Compares a field without schema; ignored if the other object does not have it. */
  #equalRaw(key: string, other: CelMap): CelValue {
    if (!(other instanceof JsonEntries)) return noSuchOverload;
    return !Object.hasOwn(other.raw, key) || deepEqual(this.raw[key], other.raw[key]);
  }
}

/** An object with properties: keys are identifiers, and null is absent. */
export class JsonProperties extends JsonEntries {
  readonly #readerOf: (name: string) => JsonReader | undefined;

  constructor(raw: JsonObject, readerOf: (name: string) => JsonReader | undefined) {
    super(raw);
    this.#readerOf = readerOf;
  }

  readerOf(key: string): JsonReader | undefined {
    return this.#readerOf(key);
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return noSuchOverload;
    const name = unescapeName(key);
    if (name === undefined || !Object.hasOwn(this.raw, name)) return undefined;
    const value = this.raw[name] as JsonValue;
    return value === null ? undefined : this.#readerOf(name)?.(value);
  }

  keys(): readonly CelValue[] {
    const known = Object.keys(this.raw).filter((key) => this.#readerOf(key) !== undefined);
    return known.map((key) => escapeName(key) ?? key);
  }
}

/** A map with additionalProperties. Without a value reader its entries are invisible. */
export class JsonRecord extends JsonEntries {
  readonly #reader: JsonReader | undefined;

  constructor(raw: JsonObject, reader: JsonReader | undefined) {
    super(raw);
    this.#reader = reader;
  }

  readerOf(): JsonReader | undefined {
    return this.#reader;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return noSuchOverload;
    return Object.hasOwn(this.raw, key) ? this.#reader?.(this.raw[key] as JsonValue) : undefined;
  }

  keys(): readonly CelValue[] {
    return this.#reader === undefined ? [] : Object.keys(this.raw);
  }
}
