import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { escapeName } from '../types/escape.ts';
import { equalValues } from './compare.ts';
import type { JsonReader } from './json.ts';
import { toJson } from './to-json.ts';
import { CelList, type CelValue, noSuchOverload } from './value.ts';

/** A JSON array whose items are converted on access. */
export class JsonArray extends CelList {
  readonly raw: readonly JsonValue[];
  readonly reader: JsonReader;

  constructor(raw: readonly JsonValue[], reader: JsonReader) {
    super();
    this.raw = raw;
    this.reader = reader;
  }

  get size(): number {
    return this.raw.length;
  }

  at(index: number): CelValue {
    return this.reader(this.raw[index] as JsonValue);
  }
}

/** x-kubernetes-list-type `set`: order is ignored, and addition is a union. */
export class JsonSetList extends JsonArray {
  #members: Set<JsonValue> | undefined;

  override equals(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (other.size !== this.size) return false;
    const members = this.#set();
    for (let i = 0; i < other.size; i++) if (!members.has(toJson(other.at(i)))) return false;
    return true;
  }

  override add(other: CelList): CelValue {
    const union = new Set(this.#set());
    for (let i = 0; i < other.size; i++) union.add(toJson(other.at(i)));
    return new JsonSetList([...this.raw, ...[...union].slice(this.#set().size)], this.reader);
  }

  #set(): Set<JsonValue> {
    this.#members ??= new Set(this.raw);
    return this.#members;
  }
}

/** x-kubernetes-list-type `map`: items are identified by their keys, and addition is a merge. */
export class JsonMapList extends JsonArray {
  readonly #keys: readonly string[];
  #byKey: Map<string, JsonValue> | undefined;

  constructor(raw: readonly JsonValue[], reader: JsonReader, keys: readonly string[]) {
    super(raw, reader);
    this.#keys = keys;
  }

  override equals(other: CelValue): CelValue {
    if (!(other instanceof CelList)) return noSuchOverload;
    if (other.size !== this.size) return false;
    for (let i = 0; i < other.size; i++) {
      const item = other.at(i);
      const own = this.#index().get(this.#keyOf(toJson(item)));
      if (own === undefined) return false;
      const equal = equalValues(this.reader(own), item);
      if (equal !== true) return equal;
    }
    return true;
  }

  /** Items keep their position and are replaced by those with the same key; new ones are appended. */
  override add(other: CelList): CelValue {
    const merged = new Map(this.raw.map((item) => [this.#keyOf(item), item]));
    for (let i = 0; i < other.size; i++) {
      const item = toJson(other.at(i));
      merged.set(this.#keyOf(item), item);
    }
    return new JsonMapList([...merged.values()], this.reader, this.#keys);
  }

  #index(): Map<string, JsonValue> {
    this.#byKey ??= new Map(this.raw.map((item) => [this.#keyOf(item), item]));
    return this.#byKey;
  }

  /** Kubernetes looks up keys by their escaped names, so a key that needs escaping is never found. */
  #keyOf(item: JsonValue): string {
    const object = isObject(item) ? item : {};
    return this.#keys.map((key) => partOfKey(object, escapeName(key) ?? key)).join('\0');
  }
}

function partOfKey(object: JsonObject, key: string): string {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return `${typeof value} ${String(value)}`;
}
