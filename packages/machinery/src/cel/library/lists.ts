import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from '../types/type.ts';
import { add } from '../values/arithmetic.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { CelDouble, CelDuration, CelError, type CelList, CelUint, type CelValue, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, type FunctionDeclaration, memberOverload } from './declarations.ts';

const a = typeParam('A');
const zeros: readonly (readonly [string, CelType, CelValue])[] = [
  ['int', intType, 0],
  ['uint', uintType, new CelUint(0n)],
  ['double', doubleType, new CelDouble(0)],
  ['duration', durationType, new CelDuration(0n)],
];

export const comparableTypes: readonly (readonly [string, CelType])[] = [
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['bool', boolType],
  ['duration', durationType],
  ['timestamp', timestampType],
  ['string', stringType],
  ['bytes', bytesType],
];

function isSorted(list: CelList): CelValue {
  for (let i = 0; i < list.size; i++) {
    const order = i === 0 ? 0 : compareValues(list.at(i - 1), list.at(i));
    if (order === undefined) return noSuchOverload;
    if (order > 0) return false;
  }
  return true;
}

function sum(list: CelList, zero: CelValue): CelValue {
  let total = zero;
  for (let i = 0; i < list.size; i++) {
    total = add(total, list.at(i));
    if (total instanceof CelError) return total;
  }
  return total;
}

/** The first maximum, or minimum if `sign` is -1. */
function extreme(name: string, list: CelList, sign: number): CelValue {
  if (list.size === 0) return new CelError(`${name} called on empty list`);
  let best = list.at(0);
  for (let i = 1; i < list.size; i++) {
    const next = list.at(i);
    const order = compareValues(best, next);
    if (order === undefined) return noSuchOverload;
    if (order * sign < 0) best = next;
  }
  return best;
}

function indexOf(list: CelList, item: CelValue): CelValue {
  for (let i = 0; i < list.size; i++) if (equalValues(list.at(i), item) === true) return i;
  return -1;
}

function lastIndexOf(list: CelList, item: CelValue): CelValue {
  for (let i = list.size - 1; i >= 0; i--) if (equalValues(list.at(i), item) === true) return i;
  return -1;
}

function extremes(name: string, sign: number): FunctionDeclaration {
  const overloads = comparableTypes.map(([type, element]) =>
    memberOverload(`list_${type}_${name}_${type}`, [listType(element)], element, (list: CelList) => extreme(name, list, sign)),
  );
  return declare(name, ...overloads);
}

/** Kubernetes' list library. */
export const listsLibrary: CelLibrary = {
  functions: [
    declare(
      'isSorted',
      ...comparableTypes.map(([type, element]) =>
        memberOverload(`list_${type}_is_sorted_bool`, [listType(element)], boolType, isSorted),
      ),
    ),
    declare(
      'sum',
      ...zeros.map(([type, element, zero]) =>
        memberOverload(`list_${type}_sum_${type}`, [listType(element)], element, (list: CelList) => sum(list, zero)),
      ),
    ),
    extremes('max', 1),
    extremes('min', -1),
    declare('indexOf', memberOverload('list_a_index_of_int', [listType(a), a], intType, indexOf)),
    declare('lastIndexOf', memberOverload('list_a_last_index_of_int', [listType(a), a], intType, lastIndexOf)),
  ],
};
