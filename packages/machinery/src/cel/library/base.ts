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
import { authorizerLibrary, authorizerSelectorsLibrary } from './authorizer.ts';
import { comprehensionsLibrary } from './comprehensions.ts';
import type { CelLibrary } from './declarations.ts';
import { formatsLibrary } from './formats.ts';
import { listExtensionsLibrary } from './list-extensions.ts';
import { listsLibrary } from './lists.ts';
import { networkLibrary } from './network.ts';
import { optionalsLibrary } from './optionals.ts';
import { quantityLibrary } from './quantity.ts';
import { regexLibrary } from './regex.ts';
import { semverLibrary } from './semver.ts';
import { setsLibrary } from './sets.ts';
import { standardFunctions, timeFunctions } from './standard-functions.ts';
import { standardOperators } from './standard-operators.ts';
import { stringFormatLibrary, stringsLibrary } from './strings.ts';
import { urlsLibrary } from './urls.ts';

const [a, b] = [typeParam('A'), typeParam('B')];

const standardLibrary: CelLibrary = {
  macros: standardMacros,
  functions: [...standardOperators, ...standardFunctions, ...timeFunctions],
  types: [
    ...[boolType, bytesType, doubleType, durationType, intType, listType(a), mapType(a, b), nullType],
    ...[stringType, timestampType, typeType, uintType],
  ],
};

/** Minor version of Kubernetes that added each library. */
const history: readonly (readonly [minor: number, CelLibrary])[] = [
  [0, standardLibrary],
  [0, urlsLibrary],
  [0, regexLibrary],
  [0, listsLibrary],
  [27, authorizerLibrary],
  [28, optionalsLibrary],
  [28, quantityLibrary],
  [0, stringsLibrary],
  [29, stringFormatLibrary],
  [29, setsLibrary],
  [30, networkLibrary],
  [31, formatsLibrary],
  [31, authorizerSelectorsLibrary],
  [32, comprehensionsLibrary],
  [33, semverLibrary],
  [34, listExtensionsLibrary],
];

/** The libraries of a Kubernetes version. */
export function baseLibraries(version: string): readonly CelLibrary[] {
  const minor = Number(/^1\.(\d+)$/.exec(version)?.[1]);
  if (!(minor >= 23)) throw new Error(`CEL environments begin with 1.23, not ${version}`);
  return history.filter(([introduced]) => introduced <= minor).map(([, library]) => library);
}
