import { CelDouble, CelMap, CelUint, type CelValue, normalInt } from './value.ts';

/** A map that an expression made. Numbers of any type that are equal are the same key. */
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

  /** False if the value cannot be a key. */
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

/** Equal for keys that are equal; undefined for what is no key. */
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

/** A double that is no whole number equals no key of another type: its text keeps it apart from integers. */
function hashOfDouble(value: number): unknown {
  return Number.isInteger(value) ? normalInt(BigInt(value)) : `double ${value}\0`;
}
