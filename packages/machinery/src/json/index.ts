export { cannotUnmarshal, jsonKind } from './cannot-unmarshal.ts';
export { deepCopy } from './copy.ts';
export { deepEqual } from './equal.ts';
export {
  byName,
  ensureObject,
  fillIn,
  integerIn,
  listIn,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  repeats,
  textIn,
  textsIn,
} from './fields.ts';
export { getKey, isObject, setKey, withoutKey } from './object.ts';
export { type JsonLimits, type NumberForm, type ParsedJson, parseJson, parseJsonAround } from './parse.ts';
export { canonicalJson, sortKeys } from './sort-keys.ts';
export { strictErrors } from './strict-errors.ts';
export { stringifyJson, stringifyJsonPretty } from './stringify.ts';
export { JsonSyntaxError } from './syntax-error.ts';
export { isWrittenNumber } from './written-number.ts';
