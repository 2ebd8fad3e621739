import { CelDouble, CelMap, CelUint, type CelValue, normalInt } from './value.ts';

/** A map constructed by an expression. Equal numbers of different types are the same key. */
export class HashMap extends CelMap {
  readonly #values = new Map<unknown, CelValue>();
  readonly #keys = new Map<unknown, CelValue>();

  get size(): number {
    return this.#values.size;
  }

  find(key: CelValue): CelValue | undefined {
    const hash = hashOf(key);
    return hash === undefined ? undefined : this.#values.get(hash);
  }

  keys(): readonly CelValue[] {
    return [...this.#keys.values()];
  }

  /** Returns false if the key type is not allowed. */
  set(key: CelValue, value: CelValue): boolean {
    const hash = hashOf(key);
    if (hash === undefined) return false;
    this.#values.set(hash, value);
    this.#keys.set(hash, key);
    return true;
  }

  delete(key: CelValue): void {
    const hash = hashOf(key);
    this.#values.delete(hash);
    this.#keys.delete(hash);
  }
}

/** Equal for equal keys; undefined for values that cannot be keys. */
export function hashOf(key: CelValue): unknown {
  switch (typeof key) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
      return key;
    default:
      return key instanceof CelUint ? normalInt(key.value) : key instanceof CelDouble ? hashOfDouble(key.value) : undefined;
  }
}

/** A fractional double equals no key of another type; a distinct string represents it. */
function hashOfDouble(value: number): unknown {
  return Number.isInteger(value) ? normalInt(BigInt(value)) : `double ${value}\0`;
}
