import { formatPlain } from '../values/plain-text.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelDouble, CelError, CelList, CelMap, CelOpaque, CelUint, type CelValue } from '../values/value.ts';

/** What is under a key or at an index; undefined if nothing is, an error if nothing can be. */
export function lookUp(value: CelValue, key: CelValue): CelValue | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) return itemAt(value, key);
  if (value instanceof CelError) return value;
  if (value instanceof CelOpaque && typeof key === 'string') return value.field?.(key);
  return undefined;
}

/** What is under a key or at an index, or the error that nothing is. */
export function require(value: CelValue, key: CelValue): CelValue {
  const found = lookUp(value, key);
  return found === undefined ? missing(value, key) : found;
}

function missing(value: CelValue, key: CelValue): CelError {
  const problem = value instanceof CelList ? 'index out of bounds' : 'no such key';
  return new CelError(`${problem}: ${formatPlain(key)}`);
}

function itemAt(list: CelList, key: CelValue): CelValue | undefined {
  const index = typeof key === 'number' ? key : indexOf(key);
  if (index instanceof CelError) return index;
  return index >= 0 && index < list.size ? list.at(index) : undefined;
}

function indexOf(key: CelValue): number | CelError {
  if (typeof key === 'bigint') return Number(key);
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    return Number.isInteger(key.value) ? key.value : new CelError(`unsupported index value ${key.value} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}
