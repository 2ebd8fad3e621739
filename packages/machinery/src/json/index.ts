export { cannotUnmarshal, jsonKind } from './cannot-unmarshal.ts';
export { deepCopy } from './copy.ts';
export { deepEqual } from './equal.ts';
export { getKey, isObject, setKey } from './object.ts';
export type { JsonLimits, ParsedJson } from './parse.ts';
export { parseJson } from './parse.ts';
export { strictErrors } from './strict-errors.ts';
export { stringifyJson, stringifyJsonPretty } from './stringify.ts';
export { JsonSyntaxError } from './syntax-error.ts';
