import type { JsonObject, JsonValue } from '../../schema/type.ts';
import { JsonArray } from './json-list.ts';
import { CelDouble, CelMap, type CelValue, noSuchOverload } from './value.ts';

/** A JSON value that no schema describes: numbers without a fraction are integers. */
export function dynamicJson(value: JsonValue): CelValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : new CelDouble(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? new JsonArray(value, dynamicJson) : new DynamicMap(value);
}

class DynamicMap extends CelMap {
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

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return key instanceof CelMap ? noSuchOverload : undefined;
    return Object.hasOwn(this.raw, key) ? dynamicJson(this.raw[key] as JsonValue) : undefined;
  }

  keys(): readonly CelValue[] {
    return Object.keys(this.raw);
  }
}
