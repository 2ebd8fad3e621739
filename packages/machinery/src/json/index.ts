export { cannotUnmarshal, JsonSyntaxError, jsonKind } from './errors.ts';
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
export { isNumberLiteral, isParsedObject, type NumberLiteral, type ParsedObject, type ParsedValue } from './number-literal.ts';
export type { JsonLimits, NumberForm, ParsedJson } from './parse.ts';
export { parseJson, parseJsonAround } from './parse.ts';
export { strictErrors } from './strict-errors.ts';
export { canonicalJson, sortKeys, stringifyJson, stringifyJsonPretty } from './stringify.ts';
export type { JsonObject, JsonValue } from './value.ts';
export { deepCopy, deepEqual, getKey, isObject, setKey, withoutKey } from './value.ts';
