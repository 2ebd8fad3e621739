import { operators } from '../syntax/ast.ts';
import { optionalMacros } from '../syntax/standard-macros.ts';
import { boolType, dynType, intType, listType, mapType, opaqueType, optionalType, stringType, typeParam } from '../types/type.ts';
import { formatPlain } from '../values/convert.ts';
import {
  ArrayList,
  CelDouble,
  CelDuration,
  CelError,
  type CelList,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  optionalNone,
  sizeOfValue,
} from '../values/value.ts';
import { type CelLibrary, declare, globalOverload, memberOverload } from './declarations.ts';

const [k, v] = [typeParam('K'), typeParam('V')];
const optionalV = optionalType(v);
const listV = listType(v);
const mapKV = mapType(k, v);
const listOptionalV = listType(optionalV);
const noValue = new CelError('optional.none() dereference');
const zeroTime = -62_135_596_800;

/** Zero values: 0, '', [], null. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0) return true;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanoseconds === 0n;
  if (value instanceof CelTimestamp) return value.seconds === zeroTime && value.nanoseconds === 0;
  return sizeOfValue(value) === 0;
}

function unwrap(list: CelList): CelValue {
  const values: CelValue[] = [];
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (!(item instanceof CelOptional)) return new CelError(`value ${formatPlain(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
}

function itemAt(list: CelList, index: number): CelValue {
  return list.size === 0 ? optionalNone : new CelOptional(list.at(index));
}

const of = (value: CelValue) => new CelOptional(value);
const ofNonZero = (value: CelValue) => (isZero(value) ? optionalNone : new CelOptional(value));
const hasValue = ({ value }: CelOptional) => value !== undefined;
const requireValue = ({ value }: CelOptional) => (value === undefined ? noValue : value);

export const optionalsLibrary: CelLibrary = {
  types: [opaqueType('optional_type')],
  macros: optionalMacros,
  functions: [
    declare('optional.of', globalOverload('optional_of', [v], optionalV, of)),
    declare('optional.ofNonZeroValue', globalOverload('optional_ofNonZeroValue', [v], optionalV, ofNonZero)),
    declare(
      'optional.none',
      globalOverload('optional_none', [], optionalV, () => optionalNone),
    ),
    declare('value', memberOverload('optional_value', [optionalV], v, requireValue)),
    declare('hasValue', memberOverload('optional_hasValue', [optionalV], boolType, hasValue)),
    declare('or', memberOverload('optional_or_optional', [optionalV, optionalV], optionalV)),
    declare('orValue', memberOverload('optional_orValue_value', [optionalV, v], v)),
    declare(operators.optionalSelect, globalOverload('select_optional_field', [dynType, stringType], optionalV)),
    declare(
      operators.optionalIndex,
      globalOverload('list_optindex_optional_int', [listV, intType], optionalV),
      globalOverload('optional_list_optindex_optional_int', [optionalType(listV), intType], optionalV),
      globalOverload('map_optindex_optional_value', [mapKV, k], optionalV),
      globalOverload('optional_map_optindex_optional_value', [optionalType(mapKV), k], optionalV),
    ),
    declare(
      operators.index,
      globalOverload('optional_list_index_int', [optionalType(listV), intType], optionalV),
      globalOverload('optional_map_index_value', [optionalType(mapKV), k], optionalV),
    ),
    declare(
      'last',
      memberOverload('list_last', [listV], optionalV, (list: CelList) => itemAt(list, list.size - 1)),
    ),
    declare(
      'first',
      memberOverload('list_first', [listV], optionalV, (list: CelList) => itemAt(list, 0)),
    ),
    declare('optional.unwrap', globalOverload('optional_unwrap', [listOptionalV], listV, unwrap)),
    declare('unwrapOpt', memberOverload('optional_unwrapOpt', [listOptionalV], listV, unwrap)),
  ],
};
