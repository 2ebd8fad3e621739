import type { Library } from '../check/declarations.ts';
import { standardMacros } from '../syntax/standard-macros.ts';
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  typeParam,
  typeType,
  uintType,
} from '../types/type.ts';
import { comprehensionsLibrary } from './comprehensions.ts';
import { listsLibrary } from './lists.ts';
import { moreListsLibrary } from './more-lists.ts';
import { optionalsLibrary } from './optionals.ts';
import { regexLibrary } from './regex.ts';
import { setsLibrary } from './sets.ts';
import { standardFunctions } from './standard-functions.ts';
import { standardOperators } from './standard-operators.ts';
import { timeFunctions } from './standard-times.ts';
import { stringsLibrary } from './strings.ts';

const [a, b] = [typeParam('A'), typeParam('B')];

const standardLibrary: Library = {
  macros: standardMacros,
  functions: [...standardOperators, ...standardFunctions, ...timeFunctions],
  types: [
    ...[boolType, bytesType, doubleType, durationType, intType, listType(a), mapType(a, b), nullType],
    ...[stringType, timestampType, typeType, uintType],
  ],
};

/** The release of Kubernetes in which a library came. */
const history: readonly (readonly [minor: number, Library])[] = [
  [0, standardLibrary],
  [0, regexLibrary],
  [0, listsLibrary],
  [28, optionalsLibrary],
  [0, stringsLibrary],
  [29, setsLibrary],
  [32, comprehensionsLibrary],
  [34, moreListsLibrary],
];

/** What expressions of a release know. */
export function baseLibraries(version: string): readonly Library[] {
  const minor = Number(/^1\.(\d+)$/.exec(version)?.[1]);
  if (!(minor >= 23)) throw new Error(`CEL environments begin with 1.23, not ${version}`);
  return history.filter(([introduced]) => introduced <= minor).map(([, library]) => library);
}
