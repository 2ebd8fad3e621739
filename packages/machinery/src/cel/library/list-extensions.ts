import type { Expr } from '../syntax/ast.ts';
import { type Macro, MacroProblem, macroKey, partsAt } from '../syntax/macros.ts';
import { standardMacros } from '../syntax/standard-macros.ts';
import { dynType, intType, listType, typeParam } from '../types/type.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { hashOf } from '../values/hash-map.ts';
import { typeOfValue } from '../values/type-of.ts';
import { ArrayList, CelError, CelList, type CelValue, type Int } from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload } from './declarations.ts';
import { comparableTypes } from './lists.ts';

const t = typeParam('T');
const listT = listType(t);
const listDyn = listType(dynType);

function itemsOf(list: CelList): CelValue[] {
  return Array.from({ length: list.size }, (_, i) => list.at(i));
}

function slice(list: CelList, start: Int, end: Int): CelValue {
  const what = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return new CelError(`${what}, negative indexes not supported`);
  if (start > end) return new CelError(`${what}, start index must be less than or equal to end index`);
  if (list.size < end) return new CelError(`${what}, list is length ${list.size}`);
  return new ArrayList(itemsOf(list).slice(Number(start), Number(end)));
}

function flatten(list: CelList, depth: Int): CelValue {
  if (depth < 0) return new CelError('level must be non-negative');
  const items: CelValue[] = [];
  const collect = (each: CelList, level: number): void => {
    for (let i = 0; i < each.size; i++) {
      const item = each.at(i);
      if (item instanceof CelList && level > 0) collect(item, level - 1);
      else items.push(item);
    }
  };
  collect(list, Number(depth));
  return new ArrayList(items);
}

/** The integers below n, generated on access because n is unbounded. */
class RangeList extends CelList {
  readonly size: number;
  constructor(size: number) {
    super();
    this.size = size;
  }
  at(index: number): CelValue {
    return index;
  }
}

/** Hashable items are looked up, others compared pairwise. */
function distinct(list: CelList): CelValue {
  const seen = new Set<unknown>();
  const others: CelValue[] = [];
  const kept = itemsOf(list).filter((item) => {
    const hash = hashOf(item);
    if (hash !== undefined) return seen.size < seen.add(hash).size;
    if (others.some((other) => equalValues(item, other) === true)) return false;
    others.push(item);
    return true;
  });
  return new ArrayList(kept);
}

function sortBy(list: CelList, keys: CelList): CelValue {
  if (list.size !== keys.size) {
    const sizes = `but got ${list.size} and ${keys.size} elements respectively`;
    return new CelError(`@sortByAssociatedKeys() expected a list of the same size as the associated keys list, ${sizes}`);
  }
  if (list.size === 0) return list;
  const pairs = itemsOf(list).map((item, i) => ({ item, key: keys.at(i) }));
  const first = pairs[0]?.key as CelValue;
  if (compareValues(first, first) === undefined) return new CelError('list elements must be comparable');
  const type = typeOfValue(first);
  if (pairs.some(({ key }) => typeOfValue(key) !== type)) return new CelError('list elements must have the same type');
  return new ArrayList(pairs.sort((a, b) => compareValues(a.key, b.key) ?? 0).map(({ item }) => item));
}

const input = '@__sortBy_input__';

/** Expands to a `map` for the keys and `@sortByAssociatedKeys`. */
const sortByMacro: Macro = (call) => {
  const target = call.target as Expr;
  if (!['list', 'select', 'ident', 'comprehension', 'call'].includes(target.is)) {
    const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return new MacroProblem(target.at, message);
  }
  const { ident, list, literal } = partsAt(call.at);
  const map = standardMacros.get(macroKey('map', 2, true)) as Macro;
  const keys = map({ ...call, target: ident(input) });
  if (keys instanceof MacroProblem) return keys;
  return {
    is: 'comprehension',
    at: call.at,
    range: list(),
    variable: '#unused',
    variable2: undefined,
    accumulator: input,
    init: target,
    condition: literal(false),
    step: ident(input),
    result: { is: 'call', at: call.at, function: '@sortByAssociatedKeys', target: ident(input), args: [keys] },
  };
};

/** cel-go's list extensions. */
export const listExtensionsLibrary: CelLibrary = {
  macros: new Map([[macroKey('sortBy', 2, true), sortByMacro]]),
  functions: [
    declare('slice', memberOverload('list_slice', [listT, intType, intType], listT, slice)),
    declare(
      'flatten',
      memberOverload('list_flatten', [listType(listT)], listT, (list: CelList) => flatten(list, 1)),
      memberOverload('list_flatten_int', [listDyn, intType], listDyn, flatten),
    ),
    declare(
      'sort',
      ...comparableTypes.map(([, type]) =>
        memberOverload(`list_${type.name}_sort`, [listType(type)], listType(type), (list: CelList) => sortBy(list, list)),
      ),
    ),
    declare(
      '@sortByAssociatedKeys',
      ...comparableTypes.map(([, type]) =>
        memberOverload(`list_${type.name}_sortByAssociatedKeys`, [listT, listType(type)], listT, sortBy),
      ),
    ),
    declare(
      'lists.range',
      globalOverload('lists_range', [intType], listType(intType), (n: Int) => new RangeList(Math.max(Number(n), 0))),
    ),
    declare(
      'reverse',
      memberOverload('list_reverse', [listT], listT, (list: CelList) => new ArrayList(itemsOf(list).reverse())),
    ),
    declare('distinct', memberOverload('list_distinct', [listT], listT, distinct)),
  ],
};
