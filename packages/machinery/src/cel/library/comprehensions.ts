import { twoVariableMacros } from '../syntax/standard-macros.ts';
import { mapType, typeParam } from '../types/type.ts';
import { formatPlain } from '../values/convert.ts';
import { HashMap } from '../values/hash-map.ts';
import { CelError, CelMap, type CelValue } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload } from './declarations.ts';

const [k, v] = [typeParam('K'), typeParam('V')];
const mapKV = mapType(k, v);

/** Inserts into the accumulator in place. Its initial value is a constant, so an empty one is replaced by a new map. */
function insert(map: CelValue, key: CelValue, value: CelValue): CelValue {
  const target = map instanceof HashMap && map.size > 0 ? map : copyOf(map as CelMap);
  if (target.find(key) !== undefined) return new CelError(`insert failed: key ${formatPlain(key)} already exists`);
  return target.set(key, value) ? target : new CelError(`unsupported key type: ${formatPlain(key)}`);
}

function copyOf(map: CelMap): HashMap {
  const copy = new HashMap();
  for (const key of map.keys()) copy.set(key, map.find(key) ?? null);
  return copy;
}

function insertAll(map: CelValue, entries: CelValue): CelValue {
  let target: CelValue = map;
  if (!(entries instanceof CelMap)) return target;
  for (const key of entries.keys()) {
    target = insert(target, key, entries.find(key) ?? null);
    if (target instanceof CelError) return target;
  }
  return target;
}

export const comprehensionsLibrary: CelLibrary = {
  macros: twoVariableMacros,
  functions: [
    declare(
      'cel.@mapInsert',
      globalOverload('@mapInsert_key_value', [mapKV, k, v], mapKV, insert),
      globalOverload('@mapInsert_map', [mapKV, mapKV], mapKV, insertAll),
    ),
  ],
};
