import { operators } from '../syntax/ast.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParam,
  uintType,
} from '../types/type.ts';
import { add, divide, modulo, multiply, negate, noTrait, subtract } from '../values/arithmetic.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { CelError, CelList, CelMap, type CelValue, noSuchOverload } from '../values/value.ts';
import { declare, type FunctionDeclaration, globalOverload, type Overload } from './declarations.ts';

const [a, b] = [typeParam('A'), typeParam('B')];
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

type Binary = (left: CelValue, right: CelValue) => CelValue;

function all(call: Overload['call'], ...signatures: (readonly [id: string, args: CelType[], result: CelType])[]): Overload[] {
  return signatures.map(([id, args, result]) => globalOverload(id, args, result, call));
}

const ordered: readonly (readonly [string, CelType, CelType])[] = [
  ['bool', boolType, boolType],
  ['int64', intType, intType],
  ['int64_double', intType, doubleType],
  ['int64_uint64', intType, uintType],
  ['uint64', uintType, uintType],
  ['uint64_double', uintType, doubleType],
  ['uint64_int64', uintType, intType],
  ['double', doubleType, doubleType],
  ['double_int64', doubleType, intType],
  ['double_uint64', doubleType, uintType],
  ['string', stringType, stringType],
  ['bytes', bytesType, bytesType],
  ['timestamp', timestampType, timestampType],
  ['duration', durationType, durationType],
];

/** An ordering operator; `holds` gets the result of the comparison. */
function comparison(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const compare: Binary = (left, right) => {
    if (typeof left === 'number' && typeof right === 'number') return holds(left - right);
    const order = compareValues(left, right);
    if (order === undefined) return isOrdered(left) ? noSuchOverload : noTrait(name);
    return Number.isNaN(order) ? nanComparison : holds(order);
  };
  const overloads = ordered.map(([id, l, r]) => globalOverload(`${prefix}_${id}`, [l, r], boolType, compare));
  return declare(name, ...overloads);
}

const nanComparison = new CelError('NaN values cannot be ordered');

/** Whether a type is ordered. */
function isOrdered(value: CelValue): boolean {
  return compareValues(value, value) !== undefined;
}

function contains(item: CelValue, container: CelValue): CelValue {
  if (container instanceof CelList) return listContains(container, item);
  if (!(container instanceof CelMap)) return noSuchOverload;
  const found = container.find(item);
  return found instanceof CelError ? found : found !== undefined;
}

/** The error of an item is returned only if no other item is equal. */
function listContains(list: CelList, item: CelValue): CelValue {
  let problem: CelValue = false;
  for (let i = 0; i < list.size; i++) {
    const equal = equalValues(list.at(i), item);
    if (equal === true) return true;
    if (equal instanceof CelError && problem === false) problem = equal;
  }
  return problem;
}

const not = (value: CelValue): CelValue => (typeof value === 'boolean' ? !value : noSuchOverload);

/** The operators. Those without `call` are built into the planner. */
export const standardOperators: readonly FunctionDeclaration[] = [
  declare(operators.conditional, globalOverload('conditional', [boolType, a, a], a)),
  declare(operators.logicalAnd, globalOverload('logical_and', [boolType, boolType], boolType)),
  declare(operators.logicalOr, globalOverload('logical_or', [boolType, boolType], boolType)),
  declare(operators.logicalNot, globalOverload('logical_not', [boolType], boolType, not)),
  declare(operators.notStrictlyFalse, globalOverload('not_strictly_false', [boolType], boolType)),
  declare(operators.equals, globalOverload('equals', [a, a], boolType)),
  declare(operators.notEquals, globalOverload('not_equals', [a, a], boolType)),
  declare(
    operators.add,
    ...all(
      add,
      ['add_bytes', [bytesType, bytesType], bytesType],
      ['add_double', [doubleType, doubleType], doubleType],
      ['add_duration_duration', [durationType, durationType], durationType],
      ['add_duration_timestamp', [durationType, timestampType], timestampType],
      ['add_timestamp_duration', [timestampType, durationType], timestampType],
      ['add_int64', [intType, intType], intType],
      ['add_list', [listOfA, listOfA], listOfA],
      ['add_string', [stringType, stringType], stringType],
      ['add_uint64', [uintType, uintType], uintType],
    ),
  ),
  declare(
    operators.divide,
    ...all(
      divide,
      ['divide_double', [doubleType, doubleType], doubleType],
      ['divide_int64', [intType, intType], intType],
      ['divide_uint64', [uintType, uintType], uintType],
    ),
  ),
  declare(
    operators.modulo,
    ...all(modulo, ['modulo_int64', [intType, intType], intType], ['modulo_uint64', [uintType, uintType], uintType]),
  ),
  declare(
    operators.multiply,
    ...all(
      multiply,
      ['multiply_double', [doubleType, doubleType], doubleType],
      ['multiply_int64', [intType, intType], intType],
      ['multiply_uint64', [uintType, uintType], uintType],
    ),
  ),
  declare(operators.negate, ...all(negate, ['negate_double', [doubleType], doubleType], ['negate_int64', [intType], intType])),
  declare(
    operators.subtract,
    ...all(
      subtract,
      ['subtract_double', [doubleType, doubleType], doubleType],
      ['subtract_duration_duration', [durationType, durationType], durationType],
      ['subtract_int64', [intType, intType], intType],
      ['subtract_timestamp_duration', [timestampType, durationType], timestampType],
      ['subtract_timestamp_timestamp', [timestampType, timestampType], durationType],
      ['subtract_uint64', [uintType, uintType], uintType],
    ),
  ),
  comparison(operators.less, 'less', (order) => order < 0),
  comparison(operators.lessEquals, 'less_equals', (order) => order <= 0),
  comparison(operators.greater, 'greater', (order) => order > 0),
  comparison(operators.greaterEquals, 'greater_equals', (order) => order >= 0),
  declare(operators.index, globalOverload('index_list', [listOfA, intType], a), globalOverload('index_map', [mapOfAB, a], b)),
  declare(operators.in, ...all(contains, ['in_list', [a, listOfA], boolType], ['in_map', [a, mapOfAB], boolType])),
].map((declaration) => ({ ...declaration, operator: true }));
