import type { CelType } from '../types/type.ts';
import type { HashMap } from '../values/hash-map.ts';
import { CelMap, type CelValue } from '../values/value.ts';

/** An object that an expression made. */
export class StructMap extends CelMap {
  override readonly type: CelType;
  readonly #fields: HashMap;

  constructor(type: CelType, fields: HashMap) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#fields.find(key);
  }

  keys(): readonly CelValue[] {
    return this.#fields.keys();
  }
}
