import { declare, type FunctionDeclaration, globalOverload, memberOverload } from '../check/declarations.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParam,
  typeTypeOf,
  uintType,
} from '../types/type.ts';
import { noTrait } from '../values/arithmetic.ts';
import { conversions } from '../values/convert.ts';
import { sizeOfValue } from '../values/size.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelTypeValue, type CelValue, noSuchOverload } from '../values/value.ts';
import { matchesPattern } from './regex-engine.ts';

const [a, b] = [typeParam('A'), typeParam('B')];
const identity = (value: CelValue): CelValue => value;

type Texts = (text: string, other: string) => CelValue;

/** Strings only; anything else has no such function. */
function ofTexts(call: Texts): (...args: CelValue[]) => CelValue {
  return (text, other) => (typeof text === 'string' && typeof other === 'string' ? call(text, other) : noSuchOverload);
}

function textPredicate(name: string, id: string, call: Texts): FunctionDeclaration {
  return { ...declare(name, memberOverload(id, [stringType, stringType], boolType, ofTexts(call))), operator: true };
}

const size = (value: CelValue): CelValue => sizeOfValue(value) ?? noTrait('size');
const sized: readonly (readonly [string, CelType])[] = [
  ['bytes', bytesType],
  ['list', listType(a)],
  ['map', mapType(a, b)],
  ['string', stringType],
];

const sizeFunction: FunctionDeclaration = {
  ...declare(
    'size',
    ...sized.flatMap(([name, type]) => [
      globalOverload(`size_${name}`, [type], intType, size),
      memberOverload(`${name}_size`, [type], intType, size),
    ]),
  ),
  operator: true,
};

const types = { bool: boolType, bytes: bytesType, double: doubleType, int: intType, string: stringType, uint: uintType };
const ids = { bool: 'bool', bytes: 'bytes', double: 'double', int: 'int64', string: 'string', uint: 'uint64' };
const allTypes: { readonly [name: string]: CelType } = { ...types, duration: durationType, timestamp: timestampType };
const allIds: { readonly [name: string]: string } = { ...ids, duration: 'duration', timestamp: 'timestamp' };

function conversion(to: string, ...from: string[]): FunctionDeclaration {
  const overloads = [to, ...from].map((each) =>
    globalOverload(
      `${allIds[each]}_to_${allIds[to]}`,
      [allTypes[each] as CelType],
      allTypes[to] as CelType,
      each === to ? identity : conversions[to],
    ),
  );
  return declare(to, ...overloads);
}

const matches: FunctionDeclaration = {
  ...declare(
    'matches',
    globalOverload('matches', [stringType, stringType], boolType, ofTexts(matchesPattern)),
    memberOverload('matches_string', [stringType, stringType], boolType, ofTexts(matchesPattern)),
  ),
  operator: true,
};

export const standardFunctions: readonly FunctionDeclaration[] = [
  sizeFunction,
  declare(
    'type',
    globalOverload('type', [a], typeTypeOf(a), (value) => new CelTypeValue(typeOfValue(value))),
  ),
  conversion('bool', 'string'),
  conversion('bytes', 'string'),
  conversion('double', 'int', 'string', 'uint'),
  conversion('duration', 'int', 'string'),
  declare('dyn', globalOverload('to_dyn', [a], dynType, identity)),
  conversion('int', 'double', 'duration', 'string', 'timestamp', 'uint'),
  conversion('string', 'bool', 'bytes', 'double', 'duration', 'int', 'timestamp', 'uint'),
  conversion('timestamp', 'int', 'string'),
  conversion('uint', 'double', 'int', 'string'),
  textPredicate('contains', 'contains_string', (text, part) => text.includes(part)),
  textPredicate('endsWith', 'ends_with_string', (text, end) => text.endsWith(end)),
  textPredicate('startsWith', 'starts_with_string', (text, start) => text.startsWith(start)),
  matches,
];

/** The functions whose name is that of the type they make; with a constant they are constants. */
export const conversionNames: ReadonlySet<string> = new Set([...Object.keys(allTypes), 'dyn', 'type']);
