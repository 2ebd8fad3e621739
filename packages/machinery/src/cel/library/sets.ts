import { boolType, listType, typeParam } from '../types/type.ts';
import { equalValues } from '../values/compare.ts';
import { hashOf } from '../values/hash-map.ts';
import { CelError, type CelList, type CelValue } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload } from './declarations.ts';

const lists = [listType(typeParam('T')), listType(typeParam('T'))];

/** Returns a membership test: a hash lookup for hashable items, comparison for others. */
function membership(list: CelList): (item: CelValue) => CelValue {
  const hashes = new Set<unknown>();
  const others: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    const hash = hashOf(item);
    if (hash === undefined) others.push(item);
    else hashes.add(hash);
  }
  return (item) => {
    const hash = hashOf(item);
    if (hash !== undefined && hashes.has(hash)) return true;
    const results = others.map((other) => equalValues(other, item));
    return results.includes(true) || (results.find((result) => result instanceof CelError) ?? false);
  };
}

function contains(list: CelList, part: CelList): CelValue {
  const isMember = membership(list);
  for (let i = 0; i < part.size; i++) {
    const member = isMember(part.at(i));
    if (member !== true) return member;
  }
  return true;
}

function intersects(first: CelList, second: CelList): CelValue {
  const isMember = membership(second);
  for (let i = 0; i < first.size; i++) if (isMember(first.at(i)) === true) return true;
  return false;
}

function equivalent(first: CelList, second: CelList): CelValue {
  const contained = contains(first, second);
  return contained === true ? contains(second, first) : contained;
}

function overload(id: string, call: (first: CelList, second: CelList) => CelValue) {
  return globalOverload(id, lists, boolType, call);
}

export const setsLibrary: CelLibrary = {
  functions: [
    declare('sets.contains', overload('list_sets_contains_list', contains)),
    declare('sets.equivalent', overload('list_sets_equivalent_list', equivalent)),
    declare('sets.intersects', overload('list_sets_intersects_list', intersects)),
  ],
};
